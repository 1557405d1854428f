"""Rules on the command line: a preset or a file, and single knobs changed; and ``explain``."""

import io
import json
from pathlib import Path

import pytest

from burraco.engine import preset
from burraco.sdk.command import main

HOUSE = """
preset = "fibur"
deals = 0
target = 1000
two_two_joker = true
set_ranks = "none"
"""
TARGET_AND_DEALS = "a match ends at a target or after a number of deals"


class Ran:
    """A command that was run, and what it said."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *argv: str) -> None:
        try:
            self.status = main(argv)
        except SystemExit as leaving:
            self.status = int(leaving.code or 0)
        self.out, self.err = capsys.readouterr()


@pytest.fixture
def house(tmp_path: Path) -> str:
    path = tmp_path / "house.toml"
    path.write_text(HOUSE)
    return str(path)


@pytest.mark.parametrize(
    ("options", "out"),
    [
        pytest.param([], "refused TWO_TWO_JOKER_OFF E14\n", id="E14-fibur"),
        pytest.param(["--rule", "two_two_joker=yes"], "sequence dirty none 70 0\n", id="E14-on"),
        pytest.param(
            ["--rule", "two_two_joker=yes", "--rule", "two_two_joker=no"],
            "refused TWO_TWO_JOKER_OFF E14\n",
            id="E14-the-last-counts",
        ),
    ],
)
def test_a_knob_is_changed(
    capsys: pytest.CaptureFixture[str], options: list[str], out: str
) -> None:
    assert Ran(capsys, "meld", "2s 2s Jk", "--rules", "fibur", *options).out == out


def test_a_file_of_rules(capsys: pytest.CaptureFixture[str], house: str) -> None:
    options = ("--rules-file", house)
    assert Ran(capsys, "meld", "2s 2s Jk", *options).out == "sequence dirty none 70 0\n"
    assert Ran(capsys, "meld", "7h 7d 7c", *options).out == "refused SET_RANK_NOT_ALLOWED R28\n"
    back = Ran(capsys, "meld", "7h 7d 7c", *options, "--rule", "set_ranks=all")
    assert back.out == "set clean none 15 0\n"


def test_rules_shows_the_result_with_its_hash(
    capsys: pytest.CaptureFixture[str], house: str
) -> None:
    ran = Ran(capsys, "rules", "--rules-file", house, "--rule", "set_ranks=3A")
    shown = dict(line.split(maxsplit=1) for line in ran.out.splitlines())
    wanted = preset("fibur").with_knobs(deals=0, target=1000, two_two_joker=True, set_ranks="A3")
    assert shown["hash"] == wanted.content_hash.hex()
    assert shown["notation"] == "fibur set_ranks=A3 two_two_joker=yes target=1000 deals=0"
    assert (shown["knob"], shown["set_ranks"], shown["target"]) == ("fibur", "A3", "1000")
    alone = Ran(capsys, "rules", "fibur", "--hash", "--rule", "closing_bonus=150")
    assert (
        alone.out == f"fibur  {preset('fibur').with_knobs(closing_bonus=150).content_hash.hex()}\n"
    )


def test_a_preset_that_is_started_from_is_classic(capsys: pytest.CaptureFixture[str]) -> None:
    ran = Ran(capsys, "rules", "--rule", "closing_bonus=150")
    assert ran.out.splitlines()[-1].split(maxsplit=1)[1] == "classic closing_bonus=150"


def test_judge_takes_rules_for_blocks_without_any(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    turn = '[Turn "N play"] [Hands "N:2s2sJk4d"]\n\n1N M1=2s2sJk\n'
    path = tmp_path / "scenes.bgn"
    path.write_text(f'[BGN "1"]\n{turn}\n[BGN "1"] [Rules "online"]\n{turn}')
    refused = 'refused 1N "M1=2s2sJk": TWO_TWO_JOKER_OFF (E14)'
    said = Ran(capsys, "judge", str(path)).out.splitlines()
    assert said == ["ok * NS -35 EW -100", refused]
    for options in (["--rules", "fibur"], ["--rule", "two_two_joker=no"]):
        ran = Ran(capsys, "judge", str(path), *options)
        assert (ran.out.splitlines(), ran.status) == ([refused, refused], 1)
    both = Ran(capsys, "judge", str(path), "--rules", "fibur", "--rule", "two_two_joker=yes")
    # Nobody has a pozzetto, which fibur waives: 70 on the table, 5 in hand (E60).
    assert both.out.splitlines() == ["ok * NS 65 EW 0", refused]


def test_score_takes_changed_rules(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    side = {"melds": [["3h", "4h", "5h", "6h", "7h", "8h", "9h"]], "hands": [[], []]}
    deal = {
        "name": "X",
        "ended_by": "close",
        "NS": {**side, "pozzetto_taken": True, "closed": True},
        "EW": {"melds": [], "hands": [["Kd"], []], "pozzetto_taken": False, "closed": False},
    }
    path = tmp_path / "deal.json"
    path.write_text(json.dumps(deal))
    assert Ran(capsys, "score", str(path)).out == "NS 345 EW -110\n"
    changed = ("--rule", "clean_bonus=300", "--rule", "no_pozzetto_penalty=50")
    assert Ran(capsys, "score", str(path), *changed).out == "NS 445 EW -60\n"


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["meld", "7h 7d 7c"], id="meld"),
        pytest.param(["judge", "none.bgn"], id="judge"),
        pytest.param(["score", "none.json"], id="score"),
        pytest.param(["rules"], id="rules"),
        pytest.param(["match", "create", "--players", "a,b,a,b", "--token", "t"], id="match"),
        pytest.param(["arena", "greedy", "random"], id="arena"),
        pytest.param(["load"], id="load"),
    ],
)
@pytest.mark.parametrize(
    ("options", "why"),
    [
        pytest.param(["--rule", "deals=4"], TARGET_AND_DEALS, id="no-game"),
        pytest.param(["--rule", "closing=4"], "no knob 'closing': there are ", id="no-knob"),
        pytest.param(["--rule", "close_needs=dirty"], "one of any, clean", id="no-value"),
        pytest.param(["--rule", "target"], "--rule 'target': write KNOB=VALUE", id="no-equals"),
        pytest.param(["--rules-file", "none.toml"], "none.toml: No such file", id="no-file"),
    ],
)
def test_every_command_refuses_alike(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    command: list[str],
    options: list[str],
    why: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = Ran(capsys, *command, *options)
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("burraco: ")
    assert why in ran.err
    assert ran.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("preset = fibur", "Invalid value", id="no-toml"),
        pytest.param("[knobs]\ntarget = 5", "knobs: a text, a whole number, true", id="table"),
        pytest.param("target = 5.0", "target: a text, a whole number, true", id="float"),
        pytest.param("target = true", "target 'yes': a whole number is needed", id="switch"),
        pytest.param("preset = 'bridge'", "no preset 'bridge'", id="no-preset"),
        pytest.param("name = 'house'", "no knob 'name'", id="no-knob"),
        pytest.param("deals = 4", TARGET_AND_DEALS, id="no-game"),
    ],
)
def test_a_file_that_says_nothing_useful(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, why: str
) -> None:
    path = tmp_path / "house.toml"
    path.write_text(text)
    ran = Ran(capsys, "rules", "--rules-file", str(path))
    assert (ran.status, ran.out) == (2, "")
    assert why in ran.err


def test_a_file_that_is_no_text(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_bytes(b"preset = '\xff'")
    ran = Ran(capsys, "rules", "--rules-file", str(path))
    assert (ran.status, ran.err.count("\n")) == (2, 1)


def test_one_place_to_start_from(capsys: pytest.CaptureFixture[str], house: str) -> None:
    for command in (("rules", "online"), ("meld", "7h 7d 7c", "--rules", "online")):
        ran = Ran(capsys, *command, "--rules-file", house)
        assert ran.status == 2
        assert "give one of them; a file names its preset as in preset = 'online'" in ran.err


def test_a_refused_meld_is_explained_on_request(capsys: pytest.CaptureFixture[str]) -> None:
    ran = Ran(capsys, "meld", "6c Jk 8c", "--add", "7c Qc", "--explain")
    assert ran.status == 1
    assert ran.out.splitlines() == [
        "refused NOT_CONSECUTIVE E34",
        "NOT_CONSECUTIVE (E34): 6c 7c 8c Qc Jk leave a gap that no wild card fills;"
        " legal instead: add 7c to meld 1",
    ]


def test_a_batch_names_its_presets(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, house: str
) -> None:
    for option in (("--rules", "fibur"), ("--rules-file", house)):
        ran = Ran(capsys, "meld", "--batch", *option)
        assert ran.status == 2
        assert "leave out --rules and --rules-file" in ran.err
    rows = io.BytesIO(b"fibur\t2s 2s Jk\nonline\t2s 2s\tJk\n")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(rows, "utf-8"))
    ran = Ran(capsys, "meld", "--batch", "--rule", "two_two_joker=yes")
    assert ran.out.splitlines() == ["sequence dirty none 70 0", "refused TOO_FEW_CARDS R26"]


def test_explain_prints_the_rule_its_example_and_the_presets(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ran = Ran(capsys, "explain", "r36")
    lines = ran.out.splitlines()
    assert lines[:4] == [
        "R36",
        "knob two_two_joker: classic yes, fibur no, international no, online no",
        "",
        "R36 (3 Melds)",
    ]
    assert "E14 (C Twos, jokers, aces)" in lines
    assert "  Two-two-joker. 2s 2s Jk legal in classic (dirty, 70 points)" in ran.out
    assert ran.status == 0


def test_explain_takes_reasons_and_knobs(capsys: pytest.CaptureFixture[str]) -> None:
    reason = Ran(capsys, "explain", "DEAD_END").out
    assert reason.startswith("DEAD_END: keep more cards in hand, so that a legal discard is left\n")
    assert "7h 7d Jk (leaves 7c) legal, then 7c closes." in reason
    knob = Ran(capsys, "explain", "set_ranks").out
    assert knob.startswith("set_ranks: the ranks that make sets\nknob set_ranks: classic A345")


def test_explain_of_what_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    ran = Ran(capsys, "explain", "E32")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err == "burraco: no rule E32; near it: E30, E31, E33, E34\n"
    assert Ran(capsys, "explain").status == 2
    assert "example:\n  burraco explain E34" in Ran(capsys, "explain", "--help").out
