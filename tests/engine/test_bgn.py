"""Burraco Game Notation: whole deals, planted faults, scenes, and the way there and back."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burraco.engine import (
    PRESETS,
    Discard,
    IllegalAction,
    Reason,
    Unreadable,
    preset,
)
from burraco.engine.bgn import (
    BadNotation,
    Move,
    judge,
    judge_block,
    parse,
    read_deal,
    replay,
    write_deal,
)
from burraco.engine.notation import read_token
from tests.support.blocks import random_deal, scene_of, verdict

CASES = Path(__file__).parents[1] / "cases"
NAMES = tuple(PRESETS)
FIRST = (CASES / "deals-classic.bgn").read_text().split("\n\n[BGN")[0] + "\n"
OWN = {"BGN", "Rules", "Dealer", "Deal", "Termination", "Result"}

numbers = st.integers(0, 2**32)


def planted(old: str, new: str) -> str:
    """The verdict on the first classic deal with a fault in it."""
    assert FIRST.count(old) == 1
    return verdict(FIRST.replace(old, new))


@pytest.mark.parametrize("name", NAMES)
def test_every_deal_of_the_cases_is_ok(name: str) -> None:
    verdicts = list(judge((CASES / f"deals-{name}.bgn").read_text()))
    assert len(verdicts) == 6
    assert all(found.is_ok for found in verdicts)


@pytest.mark.parametrize("name", NAMES)
def test_case_deals_are_written_as_they_stand(name: str) -> None:
    """But for the order of cards in a meld and what wilds stand for, which the cases leave out."""
    text = (CASES / f"deals-{name}.bgn").read_text()
    blocks = text.strip().split("\n\n[BGN")
    for source, block in zip(blocks, parse(text), strict=True):
        free = {tag: words.text for tag, words in block.tags.items() if tag not in OWN}
        written = write_deal(read_deal(block), free)
        original = source if source.startswith("[BGN") else "[BGN" + source
        assert _tokens(written) == _tokens(original)
        (again,) = parse(written)
        assert write_deal(read_deal(again), free) == written


def _tokens(text: str) -> list[list[object]]:
    return [[_plain(word) for word in line.split(" ")] for line in text.strip().splitlines()]


def _plain(word: str) -> object:
    meld = re.fullmatch(r"(M\d+[=+]).+", word)
    return word if meld is None else (meld[1], sorted(read_token(word).cards))


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param(
            "1E +Jh ", "1E +Kh ", 'refused 1E "+Kh": the top of the stock is Jh', id="R44-drawn"
        ),
        pytest.param(
            "1S ^(Jd4c)", "1S ^(Jd4s)", 'refused 1S "^(Jd4s)": the pile is Jd4c', id="E48-pile"
        ),
        pytest.param(
            "M2=4s5s2c", "M2=4s5s2d", 'refused 1E "M2=4s5s2d": CARD_NOT_IN_HAND (R45)', id="R45"
        ),
        pytest.param(
            "M1=ThJhQh", "M1=ThJh", 'refused 1E "M1=ThJh": TOO_FEW_CARDS (R26)', id="R26-meld"
        ),
        pytest.param(
            "M5+8d -6h", "M6+8d -6h", 'refused 3E "M6+8d": NO_SUCH_MELD (R27)', id="R27-meld"
        ),
        pytest.param(
            "M2=4s5s2c", "M3=4s5s2c", 'refused 1E "M3=4s5s2c": NO_SUCH_MELD (R27)', id="R27-next"
        ),
        pytest.param(
            "3W ^(4s3d6h6d)",
            "3N ^(4s3d6h6d)",
            'refused 3N "^(4s3d6h6d)": NOT_YOUR_TURN (R42)',
            id="R42-seat",
        ),
        pytest.param(
            "2N +4h -3d", "2N +4h 2N +3d", 'refused 2N "+3d": ALREADY_DRAWN (E51)', id="E51"
        ),
        pytest.param("8N +9h", "9N +9h", 'refused 9N "+9h": this is turn 8N', id="turn-number"),
        pytest.param(
            "-Qs #", "-Qs #\n10W +3h", 'refused 10W "+3h": DEAL_OVER (R55)', id="R55-after-the-end"
        ),
        pytest.param(
            "9S ^(3h) -3h",
            "9S ^(3h) -3h #",
            'refused 9S "#": this does not close the deal',
            id="R55-mark",
        ),
        pytest.param(
            "P.(7hTc",
            "P!(7hTc",
            'refused 4N "P!(7hTc6dTc9c2dTd5sJc3c8s)": this pozzetto is written P.(…)',
            id="R52-mark",
        ),
        pytest.param(
            "P!(7sJs3hQhAs3s8c6s4d4d9d)",
            "P!(7sJs3hQhAs3s8c6s4d4d9c)",
            'refused 7E "P!(7sJs3hQhAs3s8c6s4d4d9c)": the pozzetto is As3s6s7sJs3hQh4d4d9d8c',
            id="R50-cards",
        ),
        pytest.param(
            "1W +5c M3",
            "1W +5c P!(*11) M3",
            'refused 1W "P!(*11)": no pozzetto is taken here',
            id="R48-mark",
        ),
        pytest.param(
            "1E +Jh ", "1E !to +Jh ", 'refused 1E "!to": no action before it', id="time-out-mark"
        ),
        pytest.param(
            "M1=ThJhQh", "M1=ThThTh", 'refused 1E "M1=ThThTh": TOO_MANY_COPIES (R3)', id="R3"
        ),
        pytest.param(
            "NS 555 EW 490",
            "NS 550 EW 490",
            "differs NS 555 EW 490, the file says NS 550 EW 490",
            id="R64-result",
        ),
        pytest.param(
            "NS 555 EW 490", "*", "differs NS 555 EW 490, the file says *", id="no-result"
        ),
        pytest.param(
            '"closed S"',
            '"closed N"',
            "differs NS 555 EW 490; closed S, the file says closed N",
            id="R55-closer",
        ),
        pytest.param(
            '[Termination "closed S"]\n',
            "",
            "differs NS 555 EW 490; closed S, the file has no Termination",
            id="no-termination",
        ),
    ],
)
def test_planted_fault(old: str, new: str, expected: str) -> None:
    assert planted(old, new) == expected


def test_missing_last_turn_differs() -> None:
    text = FIRST[: FIRST.index("10S")]
    found = verdict(text)
    assert found.startswith("differs * NS ")
    assert found.endswith(", the file says NS 555 EW 490; *, the file says closed S")


def test_marks_may_be_left_out() -> None:
    text = FIRST.replace(" #", "").replace(" P.(7hTc6dTc9c2dTd5sJc3c8s)", "")
    assert verdict(text) == "ok NS 555 EW 490"


def test_adjudicated_deal_is_scored_as_it_lies() -> None:
    text = FIRST[: FIRST.index("1S")].replace("closed S", "adjudicated")
    # EW: melds 60 + 30, E holds 25 and W 80, no pozzetto. NS: N holds 130 and S 120, no pozzetto.
    assert verdict(text.replace("NS 555 EW 490", "NS -350 EW -115")) == "ok NS -350 EW -115"
    assert verdict(text).startswith("differs NS -350 EW -115, the file says")


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        pytest.param("", 1, 1, id="nothing"),
        pytest.param("hello", 1, 1, id="no-turn"),
        pytest.param('[Turn "N play"]\n\n1N +7x', 3, 4, id="card"),
        pytest.param('[Turn "N play"]\n\n1N +7h7d', 3, 4, id="two-cards"),
        pytest.param('[Turn "N play"]\n\n1N -7h {no end', 3, 8, id="comment"),
        pytest.param('[Turn "N play"]\n1N\n', 2, 1, id="empty-turn"),
        pytest.param('[Turn "N play"]\n1N M0=7h7d7c', 2, 4, id="M0"),
        pytest.param('[Turn "N play]\n', 1, 1, id="quote"),
        pytest.param('[Turn "N plays"]\n', 1, 8, id="phase"),
        pytest.param('[Event "x"]\n', 1, 2, id="neither-deal-nor-scene"),
        pytest.param('[BGN "2"] [Turn "N play"]\n', 1, 7, id="version"),
        pytest.param('[Rules "bridge"] [Turn "N play"]\n', 1, 9, id="rules"),
        pytest.param('[Rules "classic deals=x"] [Turn "N play"]\n', 1, 9, id="knob-value"),
        pytest.param('[Rules "classic colour=1"] [Turn "N play"]\n', 1, 9, id="knob"),
        pytest.param('[Dealer "X"] [Turn "N play"]\n', 1, 10, id="dealer"),
        pytest.param('[Turn "N play"] [Result "10"]\n', 1, 26, id="result"),
        pytest.param('[Turn "N play"] [Termination "won"]\n', 1, 31, id="termination"),
        pytest.param('[Turn "N play"] [Scores "1"]\n', 1, 26, id="scores"),
        pytest.param('[Turn "N play"] [Turn "N play"]\n', 1, 18, id="tag-twice"),
        pytest.param('[Turn "N play"] [Hands "N:7h N:8h"]\n', 1, 30, id="label-twice"),
        pytest.param('[Turn "N play"] [Hands "7h"]\n', 1, 25, id="no-label"),
        pytest.param('[Turn "N play"] [Hands "N:7h7h S:7h"]\n', 1, 34, id="R3-three-of-a-face"),
        pytest.param('[Turn "N play"] [Stock "*109"]\n', 1, 25, id="R3-too-many-cards"),
        pytest.param('[Turn "N play"] [Pile "*2"]\n', 1, 24, id="unknown-pile"),
        pytest.param('[Turn "N play"] [Melds "NS: 7h7d7c, 7h8h"]\n', 1, 37, id="R26-on-the-table"),
        pytest.param('[Turn "N play"] [Pozzetti "1:*10 2:*11"]\n', 1, 30, id="R48-ten-cards"),
        pytest.param('[Turn "N play"] [Pozzetti "1:*11 2:-"]\n', 1, 28, id="R48-whose"),
        pytest.param('[Turn "N play"] [Pozzetto "NS taken, NS taken"]\n', 1, 38, id="E58-twice"),
        pytest.param('[Turn "N play"] [Pozzetto "NS unopened E:*11"]\n', 1, 28, id="R49-side"),
        pytest.param('[Turn "N play"] [Passive "many"]\n', 1, 27, id="passive"),
        pytest.param('[Turn "N draw idle"]\n', 1, 8, id="facts-before-a-draw"),
        pytest.param('[Turn "N over"]\n', 1, 8, id="over-without-an-end"),
        pytest.param('[Turn "N play won"]\n', 1, 8, id="fact"),
        pytest.param('[Turn "N play drew 9"]\n', 1, 8, id="fact-card"),
        pytest.param('[Turn "N play"] [Pozzetto "NS maybe"]\n', 1, 28, id="pozzetto"),
        pytest.param('[Turn "N play"] [Hands "N:*60"] [Stock "*60"]\n', 1, 41, id="R3-120-cards"),
        pytest.param('[Turn "N play"] [Hands "N:*107"] [Stock "7h8h"]\n', 1, 42, id="R3-109-cards"),
        pytest.param('[Turn "N play"]\n\n1N 7h', 3, 4, id="no-token"),
        pytest.param('[Rules "fibur close_needs=none"] [Turn "N play"]\n', 1, 9, id="knob-word"),
        pytest.param('[Rules "classic deals"] [Turn "N play"]\n', 1, 9, id="no-knob"),
        pytest.param('[Turn "N play"]\n\n1N M1=7h7d??', 3, 4, id="open-card"),
        pytest.param('[Turn "N play"] [Deal ""] [Dealer "N"]\n', 1, 8, id="deal-and-scene"),
    ],
)
def test_unreadable_text_is_named_with_its_place(text: str, line: int, column: int) -> None:
    (found,) = judge(text)
    assert (found.outcome.value, found.line, found.column) == ("unreadable", line, column)
    assert found.shown("x").startswith(f"unreadable x:{line}:{column}: ")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param('[Dealer "N"]\n', "", id="no-dealer"),
        pytest.param("N:QdJd", "N:Qd", id="ten-cards"),
        pytest.param("N:QdJd", "N:QdQd", id="R3-three-queens"),
        pytest.param(" U:Jd", "", id="no-upcard"),
        pytest.param(" U:Jd", " U:??", id="unknown-upcard"),
    ],
)
def test_deal_that_is_none_is_unreadable(old: str, new: str) -> None:
    assert planted(old, new).startswith("unreadable deal.bgn:")


def test_blocks_after_an_unreadable_one_are_judged() -> None:
    found = list(judge(f'[BGN "1"]\n[Turn "N play\n\n1N -7h\n\n{FIRST}\n[BGN "1"]\n[Turn "x"]\n'))
    assert [one.outcome.value for one in found] == ["unreadable", "ok", "unreadable"]


def test_parse_stops_at_the_first_fault() -> None:
    with pytest.raises(BadNotation, match="line 1, column 17"):
        parse('[Turn "N play"] }')


def test_tags_share_lines_and_comments_are_skipped() -> None:
    text = FIRST.replace('"]\n[', '"] [').replace("-4c\n", "-4c ; a note\n{two\nlines} ")
    assert verdict(text) == "ok NS 555 EW 490"


def test_blocks_need_no_version_between_them() -> None:
    text = scene_of('Turn "N draw"') + scene_of('Rules "fibur"', 'Turn "E draw"', 'Stock "*9"')
    assert [block.text_of("Rules") for block in parse(text)] == [None, "fibur"]


def test_turns_in_wide_text_and_quotes_in_tags() -> None:
    (block,) = parse('[Event "the \\"big\\" one \\\\"] [Turn "N play"]\n1N   ^( As  Th )  -7h!to')
    assert block.text_of("Event") == 'the "big" one \\'
    assert [placed.words.text for placed in block.turns[0].tokens] == ["^( As  Th )", "-7h", "!to"]


@given(name=st.sampled_from(NAMES), number=numbers)
def test_a_deal_goes_there_and_back(name: str, number: int) -> None:
    played = random_deal(preset(name), number)
    text = write_deal(played.record, {"North": 'a "b" \\ é'})
    (block,) = parse(text)
    assert judge_block(block).is_ok
    assert replay(block).final == played.states[-1]
    assert read_deal(block) == played.record
    assert write_deal(read_deal(block), {"North": 'a "b" \\ é'}) == text


@given(name=st.sampled_from(NAMES), number=numbers)
def test_a_deal_seen_from_outside_is_ok(name: str, number: int) -> None:
    """With every hidden card unknown, and even without what the draws and pozzetti were."""
    text = write_deal(random_deal(preset(name), number).record, {})
    text = re.sub(r"\[Result .*\n", "", text)
    hidden = re.sub(
        r"([NESWPK]\d?):\w+", lambda found: f"{found[1]}:*{len(found[0]) // 2 - 1}", text
    )
    assert hidden.count(":*") == 7
    assert verdict(hidden).startswith("ok ")
    bare = re.sub(r" P[!.]\(\w+\)", "", re.sub(r"(?<= )\+\w\w", "+??", hidden))
    assert verdict(bare).startswith("ok ")


def test_writing_refuses_what_cannot_have_been_played() -> None:
    (block,) = parse(FIRST)
    record = read_deal(block)
    with pytest.raises(IllegalAction) as caught:
        write_deal(replace(record, moves=record.moves[1:]), {})
    assert caught.value.reason is Reason.MUST_DRAW_FIRST
    with pytest.raises(IllegalAction) as caught:
        write_deal(replace(record, moves=(Move(0, Discard(5), False),)), {})
    assert caught.value.reason is Reason.NOT_YOUR_TURN


def test_writing_refuses_tags_of_its_own_and_lines_in_values() -> None:
    (block,) = parse(FIRST)
    for free in ({"Result": "NS 0 EW 0"}, {"Event": "two\nlines"}, {"two words": "x"}):
        with pytest.raises(Unreadable):
            write_deal(read_deal(block), free)


def test_a_scene_is_no_deal() -> None:
    (block,) = parse(scene_of('Turn "N play"'))
    with pytest.raises(BadNotation, match="this is a scene"):
        read_deal(block)


def test_default_moves_are_marked() -> None:
    (block,) = parse(FIRST)
    record = read_deal(block)
    moves = (record.moves[0], *(replace(move, timed_out=True) for move in record.moves[1:]))
    text = write_deal(replace(record, moves=moves), {})
    assert "1E +Jh M1=ThJhQh !to" in text
    assert "-Qs !to #" in text
    assert read_deal(parse(text)[0]).moves == moves
