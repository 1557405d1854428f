"""The command ``burraco`` and its commands about the rules, called as a shell would."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import NamedTuple

import pytest

from burraco.engine import PRESETS, preset
from burraco.sdk import command
from burraco.sdk.command import main
from tests.reference.knobs import PRESETS as KNOBS
from tests.reference.verdicts import verdict
from tests.support.cases import ADDITIONS, CASES, MELDS, Row

NAMES = tuple(PRESETS)


class Ran(NamedTuple):
    """What a command came to."""

    status: int
    out: str
    err: str


Burraco = Callable[..., Ran]


@pytest.fixture
def burraco(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Burraco:
    """Run the command in this process; ``stdin`` is what it reads there."""

    def run(*argv: str, stdin: str | bytes = "") -> Ran:
        piped = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped), "utf-8"))
        try:
            status = main(argv)
        except SystemExit as leaving:
            status = int(leaving.code or 0)
        return Ran(status, *capsys.readouterr())

    return run


ROWS = (*MELDS, *ADDITIONS)


@pytest.mark.parametrize("row", [pytest.param(row, id=row.id) for row in ROWS])
def test_meld_prints_the_expected_column(burraco: Burraco, row: Row) -> None:
    added = ("--add", row.added) if row.added else ()
    ran = burraco("meld", row.meld, *added, "--rules", row.preset)
    if row.expected == "refused":
        word, reason, rule = ran.out.split()
        assert (word, rule, ran.status) == ("refused", row.rule, 1)
        assert reason.isupper()
    else:
        assert (ran.out, ran.status) == (f"{row.expected}\n", 0)


@pytest.mark.parametrize("name", NAMES)
def test_batch_gives_a_line_a_row_under_every_preset(burraco: Burraco, name: str) -> None:
    fields = [(name, row.meld, row.added) if row.added else (name, row.meld) for row in ROWS]
    ran = burraco("meld", "--batch", stdin="".join("\t".join(row) + "\n" for row in fields))
    verdicts = ["refused" if "refused" in line else line for line in ran.out.splitlines()]
    assert verdicts == [_slowly(name, row) for row in ROWS]
    assert ran.status == 0


def _slowly(name: str, row: Row) -> str:
    base = verdict(KNOBS[name], tuple(row.meld.split()))
    if not row.added or base == "refused":
        return base
    return verdict(KNOBS[name], tuple(f"{row.meld} {row.added}".split()))


def test_batch_goes_on_after_unreadable_rows(burraco: Burraco) -> None:
    rows = ["preset\tcards", "classic\t7h 7d 7x", "", "classic\t7h 7d 7c\t", "a\tb\tc\td"]
    ran = burraco("meld", "--batch", stdin="\n".join(rows) + "\n")
    lines = ran.out.splitlines()
    assert [line.startswith("unreadable: ") for line in lines] == [True, True, True, False, True]
    assert lines[3] == "set clean none 15 0"
    assert ran.status == 1


@pytest.mark.parametrize(
    ("argv", "out", "status"),
    [
        pytest.param(["9d 9d 9d"], "refused TOO_MANY_COPIES R3\n", 1, id="R3"),
        pytest.param(["Jk Jk Jk Jk Jk"], "refused TOO_MANY_COPIES R3\n", 1, id="R3-five-jokers"),
        pytest.param(
            ["7h 7d 7h", "--add", "7h"], "refused TOO_MANY_COPIES R3\n", 1, id="R3-with-added"
        ),
        pytest.param(["7h 8h", "--add", "9h"], "refused TOO_FEW_CARDS R26\n", 1, id="R26-base"),
        pytest.param(["7h 8h 9h", "--add", ""], "refused NOTHING_ADDED E37\n", 1, id="E37"),
        pytest.param(["Jk=8c9cTc"], "sequence dirty none 50 0\n", 0, id="shown-wild"),
        pytest.param(["7h 7d 7x"], "", 2, id="no-card"),
        pytest.param(["7h 7d ??"], "", 2, id="unknown-card"),
        pytest.param(["7h 7d 7c", "--rules", "bridge"], "", 2, id="no-preset"),
        pytest.param([], "", 2, id="no-cards"),
        pytest.param(["7h 7d 7c", "--batch"], "", 2, id="cards-and-batch"),
    ],
)
def test_meld(burraco: Burraco, argv: list[str], out: str, status: int) -> None:
    ran = burraco("meld", *argv)
    assert (ran.out, ran.status) == (out, status)
    assert bool(ran.err) is (status == 2)


def test_judge_says_ok_for_every_case_deal(burraco: Burraco) -> None:
    ran = burraco("judge", *(str(path) for path in sorted(CASES.glob("deals-*.bgn"))))
    lines = ran.out.splitlines()
    assert len(lines) == 24
    assert all(line.startswith("ok NS ") for line in lines)
    assert (ran.status, ran.err) == (0, "")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("1N M1+9h", 'refused 1N "M1+9h": NOT_CONSECUTIVE (E34)', id="E34-refused"),
        pytest.param("1E +9h", 'refused 1E "+9h": NOT_YOUR_TURN (R42)', id="R42-refused"),
        pytest.param(
            '[Result "NS 1 EW 1"]', "differs * NS -70 EW -100, the file says NS 1 EW 1",
            id="R64-differs",
        ),
        pytest.param("1N 9h", "unreadable -:3:4: cannot read '9h'", id="unreadable"),
    ],
)  # fmt: skip
def test_judge_reads_standard_input(burraco: Burraco, text: str, line: str) -> None:
    # The meld counts 40, the hand 10, and no pozzetto is taken.
    scene = '[Turn "N play"] [Hands "N:9h"]\n[Melds "NS: 5hJk=6h7h"]\n'
    ran = burraco("judge", "-", stdin=scene + text)
    assert ran.out.startswith(line)
    assert ran.out.count("\n") == 1
    assert ran.status == 1


def test_judge_explains_on_request(burraco: Burraco) -> None:
    ran = burraco("judge", "--explain", "-", stdin='[Turn "N play"]\n\n1N M1=7h7d\n')
    assert ran.out == (
        'refused 1N "M1=7h7d": CARD_NOT_IN_HAND (R45): name only cards of your own hand,'
        " each copy once [-:3:4]\n"
    )


def test_judge_goes_on_after_a_missing_file(burraco: Burraco, tmp_path: Path) -> None:
    good = str(CASES / "deals-classic.bgn")
    ran = burraco("judge", str(tmp_path / "none.bgn"), str(tmp_path), good)
    assert ran.out.count("ok ") == 6
    assert "none.bgn: No such file or directory\n" in ran.err
    assert ran.err.count("\n") == 2
    assert ran.status == 2


def test_judge_names_the_place_of_bytes_that_are_no_text(burraco: Burraco, tmp_path: Path) -> None:
    path = tmp_path / "deal.bgn"
    path.write_bytes(b'[BGN "1"]\n[Event "\xff"]\n')
    ran = burraco("judge", str(path))
    assert ran.out == f"unreadable {path}:2:9: this is no UTF-8 text\n"
    assert ran.status == 1


def test_batch_goes_on_after_bytes_that_are_no_text(burraco: Burraco) -> None:
    ran = burraco("meld", "--batch", stdin=b"\xff\xfe\nclassic\t7h7d7c\r\n")
    assert ran == Ran(1, "unreadable: this is no UTF-8 text\nset clean none 15 0\n", "")


def test_judge_tells_bytes_from_text_on_standard_input_too(burraco: Burraco) -> None:
    ran = burraco("judge", "-", stdin=b'[BGN "1"]\n[Event "\xff"]\n')
    assert ran == Ran(1, "unreadable -:2:9: this is no UTF-8 text\n", "")


SCORINGS = json.loads((CASES / "scoring.json").read_text())


@pytest.mark.parametrize("name", ["classic", "fibur"])
def test_score_prints_the_expected_totals(burraco: Burraco, name: str) -> None:
    deals = [deal for deal in SCORINGS if name in deal["NS"]["expected"]]
    ran = burraco("score", "-", "--rules", name, stdin=json.dumps(deals))
    assert ran.out.splitlines() == [
        f"NS {deal['NS']['expected'][name]} EW {deal['EW']['expected'][name]}" for deal in deals
    ]
    assert (ran.status, ran.err) == (0, "")


def test_score_reads_one_object_from_a_file(burraco: Burraco, tmp_path: Path) -> None:
    path = tmp_path / "deal.json"
    path.write_text(json.dumps(SCORINGS[0]))
    assert burraco("score", str(path)) == Ran(0, "NS 360 EW 20\n", "")


def test_score_names_objects_that_are_wrong_and_goes_on(burraco: Burraco) -> None:
    ran = burraco("score", str(CASES / "scoring.json"), "--rules", "fibur")
    assert len(ran.out.splitlines()) == len(SCORINGS) - 1
    assert ran.err == (
        "burraco score: S17: NS.melds[0]: '2s 2s Jk' is no meld: TWO_TWO_JOKER_OFF (E14)\n"
    )
    assert ran.status == 2


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        pytest.param(["EW"], None, "X: the field 'EW' is missing", id="no-side"),
        pytest.param(["EW"], 3, "X: EW: this is to be an object", id="no-object"),
        pytest.param(["NS", "melds"], None, "X: NS: the field 'melds' is missing", id="no-melds"),
        pytest.param(["NS", "melds"], 3, "X: NS.melds: this is to be a list", id="no-list"),
        pytest.param(["NS", "closed"], 1, "X: NS.closed: this is to be true", id="no-flag"),
        pytest.param(["NS", "hands"], [["7h"]], "X: NS.hands: 1 hands", id="one-hand"),
        pytest.param(["NS", "hands", 1], ["7x"], "X: NS.hands[1][0]: no card '7x'", id="no-card"),
        pytest.param(["NS", "hands", 1], [7], "X: NS.hands[1][0]: this is to be a card", id="7"),
        pytest.param(
            ["NS", "melds", 0], ["7h", "8h"], "X: NS.melds[0]: '7h 8h' is no meld: TOO_FEW_CARDS",
            id="R26",
        ),
        pytest.param(
            ["NS", "melds", 0], ["7h"] * 3, "X: NS.melds[0]: '7h 7h 7h' is no meld: TOO_MANY_COP",
            id="R3-meld",
        ),
        pytest.param(["NS", "hands", 1], ["Qd"] * 3, "X: 3 times Qd", id="R3-all"),
        pytest.param(["EW", "closed"], True, "X: both sides have closed", id="R55-both"),
        pytest.param(["NS", "closed"], False, "X: ended_by: 'close', but 0 sides", id="R55-none"),
        pytest.param(["ended_by"], "win", "X: ended_by: no end 'win'", id="no-end"),
        pytest.param(
            ["EW", "pozzetto_unopened"], ["7s"], "X: EW.pozzetto_unopened: a pozzetto", id="R48"
        ),
    ],
)  # fmt: skip
def test_score_says_what_is_wrong_and_where(
    burraco: Burraco, path: list[str | int], value: object, problem: str
) -> None:
    deal = json.loads(json.dumps({**SCORINGS[0], "name": "X"}))
    place = deal
    for step in path[:-1]:
        place = place[step]
    if value is None:
        del place[path[-1]]
    else:
        place[path[-1]] = value
    ran = burraco("score", "-", stdin=json.dumps(deal))
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith(f"burraco score: {problem}")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[" * 100_000, f'{{"NS": {"1" * 5_000}}}'],
    ids=["empty", "open", "deep", "number"],
)
def test_score_refuses_what_is_no_json(burraco: Burraco, text: str) -> None:
    ran = burraco("score", "-", stdin=text)
    assert ran.err.startswith("burraco: this is no JSON: ")
    assert ran.err.count("\n") == 1
    assert ran.status == 2


def test_a_byte_order_mark_is_no_part_of_json(burraco: Burraco) -> None:
    assert burraco("score", "-", stdin="\ufeff[]") == Ran(0, "", "")


def alone(*cards: str, took: bool = True, **more: object) -> dict[str, object]:
    """A side of one that has laid nothing."""
    return {"melds": [], "hands": [[*cards]], "pozzetto_taken": took, "closed": False, **more}


def test_h12_score_of_two_players(burraco: Burraco) -> None:
    deal = {"N": alone("Kh"), "E": alone("3h", took=False)}
    ran = burraco("score", "-", "--rule", "players=2", stdin=json.dumps(deal))
    assert ran == Ran(0, "N -10 E -105\n", "")


def test_h13_score_of_three_players_halves_a_pair(burraco: Burraco) -> None:
    deal = {"E": alone("Kh"), "NS": {**alone(took=False), "hands": [["3h"], []]}}
    ran = burraco("score", "-", "--rule", "players=3", stdin=json.dumps(deal))
    assert ran == Ran(0, "N -50 E -10 S -50\n", "")
    each = {"N": alone(), "E": alone("3h"), "S": alone(took=False)}
    ran = burraco("score", "-", "--rule", "players=3", stdin=json.dumps(each))
    assert ran == Ran(0, "N 0 E -5 S -100\n", "")


@pytest.mark.parametrize(
    ("deal", "problem"),
    [
        pytest.param({"N": alone(), "E": alone()}, "the field 'S' is missing", id="two-of-three"),
        pytest.param(
            {"N": alone(), "ES": alone()}, "ES.hands: 1 hands: a side has two", id="pair-of-one"
        ),
        pytest.param(
            {
                "N": alone(pozzetto_unopened=["3h"] * 2),
                "ES": {**alone(), "hands": [[], []]},
            },
            "N.pozzetto_unopened: a pozzetto that is taken and has 18 cards",
            id="pozzetto-of-18",
        ),
    ],
)
def test_score_of_three_players_says_what_is_wrong(
    burraco: Burraco, deal: dict[str, object], problem: str
) -> None:
    ran = burraco("score", "-", "--rule", "players=3", stdin=json.dumps(deal))
    assert ran.status == 2
    assert problem in ran.err


def test_score_of_a_missing_file_is_wrong_usage(burraco: Burraco, tmp_path: Path) -> None:
    ran = burraco("score", str(tmp_path / "none.json"))
    assert ran == Ran(2, "", f"burraco: {tmp_path / 'none.json'}: No such file or directory\n")


def test_rules_prints_every_knob(burraco: Burraco) -> None:
    table = [line.split() for line in burraco("rules").out.splitlines()]
    assert table[0] == ["knob", *NAMES]
    knobs = {line[0]: line[1:] for line in table[1:]}
    assert knobs["target"] == ["2000", "0", "0", "2005"]
    assert knobs["close_needs"] == ["any", "any", "clean", "any"]
    assert burraco("rules", "fibur").out.splitlines()[0].split() == ["knob", "fibur"]


def test_rules_prints_the_hash(burraco: Burraco) -> None:
    lines = [line.split() for line in burraco("rules", "--hash").out.splitlines()]
    assert lines == [[name, preset(name).content_hash.hex()] for name in NAMES]
    assert burraco("rules", "bridge", "--hash").status == 2


def test_version(burraco: Burraco) -> None:
    assert burraco("version").out == burraco("--version").out
    assert burraco("version").out.startswith("burraco ")


def test_no_command_prints_the_help(burraco: Burraco) -> None:
    ran = burraco()
    assert ran.status == 2
    assert all(name in ran.err for name in ("judge", "meld", "score", "rules", "version"))


@pytest.mark.parametrize("name", ["judge", "meld", "score", "rules"])
def test_every_help_has_an_example(burraco: Burraco, name: str) -> None:
    ran = burraco(name, "--help")
    assert f"example:\n  burraco {name}" in ran.out
    assert ran.status == 0


def test_package_that_cannot_be_loaded_says_what_to_install(
    burraco: Burraco, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [
        EntryPoint("serve", "burraco.server.nowhere:register", command.GROUP),
        EntryPoint("rules", "burraco.sdk.rules_commands:register", command.GROUP),
    ]
    monkeypatch.setattr(command, "entry_points", lambda group: found)
    assert burraco("meld", "7h 7d 7c").out == "set clean none 15 0\n"
    ran = burraco("serve", "--port", "1")
    assert ran.status == 2
    assert ran.err.endswith("pip install 'burraco[server]'\n")
    assert "serve" in burraco("--help").out


def test_interrupt_ends_quietly(burraco: Burraco, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_arguments: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("burraco.sdk.rules_commands._rules", interrupt)
    assert burraco("rules") == Ran(130, "", "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
def test_a_full_disk_is_told_and_no_traceback() -> None:
    run = "import sys; from burraco.sdk.command import main; sys.exit(main())"
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [sys.executable, "-c", run, "rules"], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert (ran.returncode, ran.stderr) == (1, b"burraco: No space left on device\n")


def test_reader_that_goes_away_is_no_error() -> None:
    read_end, write_end = os.pipe()
    os.close(read_end)
    paths = [str(path) for path in sorted(CASES.glob("deals-*.bgn"))]
    run = "import sys; from burraco.sdk.command import main; sys.exit(main())"
    ran = subprocess.run(
        [sys.executable, "-c", run, "judge", *paths],
        stdout=write_end,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(write_end)
    assert (ran.returncode, ran.stderr) == (141, b"")
