"""Whole matches of two and three players: their laws, and their exports verified."""

import shutil
import subprocess
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from random import Random

import pytest

from burraco.engine import (
    PRESETS,
    Match,
    MatchSetup,
    Seed,
    lay_out,
    legal,
    open_deal,
    preset,
    shuffled,
    start_match,
)
from burraco.engine.deal import draw_seats, first_dealer, mix_nonces
from burraco.engine.rules import Ruleset
from burraco.engine.state import SEAT_NAMES
from burraco.engine.verify import MatchVerdict, verify
from tests.support.exported import Forge, at, blocks_of, everywhere, exchange, one_bit, to
from tests.support.places import cards_in_play
from tests.support.whole import exported, matches, played_deals

SCRIPT = Path(__file__).parents[2] / "tools" / "verify.mjs"
NODE = shutil.which("node")
NONCES = (b"north", b"", b"south")
SHUFFLED = "of Deal is not what seed and nonces give"

needs_node = pytest.mark.skipif(NODE is None, reason="node is not on the PATH")
each_table = pytest.mark.parametrize("players", [2, 3])


def _rules(name: str, players: int) -> Ruleset:
    return preset(name).with_knobs(players=players)


def _setup(rules: Ruleset, number: int) -> MatchSetup:
    secret = Random(number).randbytes(80)
    seed = Seed(secret, mix_nonces(NONCES[: rules.players]))
    return MatchSetup(rules, seed, first_dealer(seed, rules.players), 0, False)


@each_table
@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("number", [1, 2])
def test_a_whole_match_keeps_the_laws(name: str, players: int, number: int) -> None:
    """All cards stay there, somebody may always act, every deal ends, and then the match."""
    match = start_match(_setup(_rules(name, players), number)).match
    for before, _, after in matches(match, number):
        assert before.deal is not None
        assert legal(before.deal)
        assert cards_in_play(before.deal) == 108
        match = after
    limit, totals = match.setup.rules.deals, sorted(match.totals)
    assert match.is_over
    assert len(totals) == players
    assert list(match.totals) == [
        sum(points) for points in zip(*(one.points for one in match.results), strict=True)
    ]
    if limit:
        assert len(match.results) == limit
    else:
        assert totals[-1] >= match.setup.rules.target
        assert totals[-1] > totals[-2]
        assert match.winner == match.totals.index(totals[-1])


@pytest.mark.parametrize("name", PRESETS)
def test_h10_the_pozzetti_of_a_whole_match(name: str) -> None:
    deals = played_deals(start_match(_setup(_rules(name, 3), 3)).match, 3)
    highest = accumulate((max(deal.before) for deal in deals), max)
    due = [[11, 11, 11] if most > 1000 else [18, 11] for most in highest]
    assert [list(map(len, deal.record.layout.pozzetti)) for deal in deals] == due
    assert due[0] == [18, 11]
    assert due[-1] == [11, 11, 11]


@each_table
@pytest.mark.parametrize("name", PRESETS)
def test_r17_the_deal_passes_among_those_there_are(name: str, players: int) -> None:
    setup = _setup(_rules(name, players), 4)
    dealers = [deal.record.dealer for deal in played_deals(start_match(setup).match, 4)]
    assert len(dealers) > 2
    assert dealers == [(setup.dealer + at) % players for at in range(len(dealers))]


def _verdict_on(text: str) -> MatchVerdict:
    (verdict,) = verify(text, ())
    return verdict


def _script_on(text: str, folder: Path) -> str:
    """What the script says of an export, which it takes for right or wrong but can read."""
    assert NODE is not None
    file = folder / "match.bgn"
    file.write_text(text)
    done = subprocess.run(
        [NODE, str(SCRIPT), str(file)], capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert (done.returncode == 0) is done.stdout.startswith("ok ")
    return done.stdout


def _export(setup: MatchSetup, number: int, match: Match | None = None) -> str:
    deals = played_deals(match or start_match(setup).match, number)
    return exported(setup, deals, NONCES[: setup.rules.players])


@each_table
@pytest.mark.parametrize("name", PRESETS)
def test_an_export_is_verified(name: str, players: int) -> None:
    text = _export(_setup(_rules(name, players), 5), 5)
    deals = len(blocks_of(text))
    assert str(_verdict_on(text)) == f"ok m-1: {deals} deals, commitment, shuffle, play"


@needs_node
@each_table
@pytest.mark.parametrize("name", ["classic", "online"])
def test_an_export_is_verified_by_the_script(name: str, players: int, tmp_path: Path) -> None:
    text = _export(_setup(_rules(name, players), 5), 5)
    assert _script_on(text, tmp_path).endswith(" deals, commitment, shuffle\n")


@each_table
def test_h2_a_draw_for_seats_is_verified(players: int, tmp_path: Path) -> None:
    """The lowest deals from the last seat."""
    rules = _rules("fibur", players)
    seed = Seed(Random(6).randbytes(80), mix_nonces(NONCES[:players]))
    setup = MatchSetup(rules, seed, players - 1, 0, False)
    by_place = {place: SEAT_NAMES[seat] for seat, place in enumerate(draw_seats(seed, rules))}
    entry = tuple(by_place[place] for place in sorted(by_place))
    deals = played_deals(start_match(setup).match, 6)
    text = exported(setup, deals, NONCES[:players], entry)
    assert _verdict_on(text).is_ok
    if NODE is not None:
        assert _script_on(text, tmp_path).startswith("ok m-1")
    forged = _verdict_on(exported(setup, deals, NONCES[:players], entry[::-1]))
    assert any("the draw seats" in fault for fault in forged.faults)


@pytest.mark.parametrize(
    ("players", "forge", "named"),
    [
        pytest.param(2, at(2, "Deal", exchange("N", "E")), f"deal 2: N E {SHUFFLED}", id="card"),
        pytest.param(3, at(1, "Deal", exchange("P1", "K")), f"deal 1: P1 K {SHUFFLED}", id="18"),
        pytest.param(3, everywhere("Seed", one_bit), "Commitment does not", id="seed"),
        pytest.param(2, everywhere("Nonces", to("- - -")), "two nonces are needed", id="nonces"),
        pytest.param(3, everywhere("Nonces", to("- -")), "three nonces are needed", id="nonce"),
        pytest.param(3, everywhere("Rules", to("classic")), "four nonces are", id="rules"),
        pytest.param(3, at(2, "Scores", to("N 0 E 0 S 0")), "deal 2: N ", id="scores"),
        pytest.param(3, at(2, "Scores", to("NS 0 EW 0")), "points are written N 200", id="sides"),
        pytest.param(2, lambda blocks: blocks[:-1], "missing of", id="last"),
    ],
)
def test_a_forgery_is_found_and_named(players: int, forge: Forge, named: str) -> None:
    blocks = blocks_of(_export(_setup(_rules("classic", players), 5), 5))
    verdict = _verdict_on("".join(forge(blocks)))
    assert any(named in fault for fault in verdict.faults), verdict.faults


@needs_node
@each_table
def test_the_script_finds_a_card_that_was_exchanged(players: int, tmp_path: Path) -> None:
    blocks = blocks_of(_export(_setup(_rules("classic", players), 5), 5))
    forged = at(2, "Deal", exchange("P1", "K"))(blocks)
    assert _script_on("".join(forged), tmp_path) == (
        "wrong m-1: deal 2: Deal is not what seed and nonces give\n"
    )


def test_h10_three_pozzetti_before_a_total_passed_1000_are_found() -> None:
    """Dealt as the seed says, played by the rules, and yet no such deal was due."""
    setup = replace(_setup(_rules("fibur", 3), 7), deals=1)
    sizes = (11, 11, 11)
    pack, _ = shuffled(setup.seed, 1, sum(sizes))
    layout = lay_out(pack, 0, setup.dealer, 3, sizes)
    begun = start_match(setup).match
    forged = replace(begun, layout=layout, deal=open_deal(setup.rules, setup.dealer, layout))
    verdict = _verdict_on(_export(setup, 7, forged))
    assert verdict.faults == ("deal 1: pozzetti of 18 11 cards were due (H10)",)


@pytest.mark.parametrize(("cut", "says"), [("28", "lifts 29 to 63 cards"), ("64", "lifts 29 to")])
def test_h4_a_cut_that_is_none(cut: str, says: str) -> None:
    setup = replace(_setup(_rules("classic", 3), 8), deals=1)
    (block,) = blocks_of(_export(setup, 8))
    verdict = _verdict_on(block.replace("[Dealer ", f'[Cut "{cut}"]\n[Dealer '))
    assert any(says in fault for fault in verdict.faults), verdict.faults
