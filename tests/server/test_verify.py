"""What a server exports is verified from the text alone, and no planted forgery passes."""

import asyncio
import io
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from burraco.engine import Cut
from burraco.engine.bgn import judge
from burraco.engine.verify import MatchVerdict, verify
from burraco.sdk.command import main
from burraco.v1 import cards_pb2, match_service_pb2, matches_pb2, play_pb2, views_pb2
from tests.server.harness import Client, Running, serving
from tests.support.exported import (
    Blocks,
    Forge,
    at,
    blocks_of,
    drop_action,
    everywhere,
    exchange,
    lose_last,
    of_match,
    one_bit,
    other_seat,
    swap_contents,
    tag_of,
    to,
    with_tag,
    with_tag_everywhere,
    without_tag,
)

NAMES = ("north", "east", "south", "west")
SCRIPT = Path(__file__).parents[2] / "tools" / "verify.mjs"
NODE = shutil.which("node")
ENDED = ("nonces", "drawn", "cut", "table-1", "table-2", "full")

needs_node = pytest.mark.skipif(NODE is None, reason="node is not on the PATH")


@dataclass(slots=True)
class Played:
    """What is public of some matches when they are over: exports, and promises made before."""

    text: str = ""
    promised: dict[str, bytes] = field(default_factory=dict)

    def of(self, match_id: str) -> str:
        return of_match(self.text, match_id)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Matches of every kind, played once for all tests of this module."""
    return asyncio.run(_play(tmp_path_factory.mktemp("server")))


async def _play(folder: Path) -> Played:
    played = Played()
    async with serving(folder) as running, asyncio.timeout(120):
        await running.register(*NAMES)
        for match in await _made(running):
            played.promised[match.match_id] = match.commitment
        clients = [await running.connect(name) for name in NAMES]
        ended = await asyncio.gather(*(_play_out(client, len(ENDED)) for client in clients))
        played.promised["stopped"] = await _stopped(running, clients[0])
        assert [set(match_ids) for match_ids in ended] == [set(ENDED)] * 4
        for match_id in (*ENDED, "stopped"):
            request = match_service_pb2.ExportMatchRequest(match_id=match_id)
            exported = await running.matches.ExportMatch(request, metadata=running.organiser)
            played.text += exported.bgn + "\n"
    return played


async def _made(running: Running) -> list[matches_pb2.MatchSummary]:
    free = await running.create([""] * 4, match_id="nonces", deals=3)
    for name in NAMES[:3]:
        request = match_service_pb2.JoinMatchRequest(match_id="nonces", nonce=name.encode())
        await running.matches.JoinMatch(request, metadata=running.as_bot(name))
    last = match_service_pb2.JoinMatchRequest(match_id="nonces")
    await running.matches.JoinMatch(last, metadata=running.as_bot("west"))
    board = ("board-1", 2)
    return [
        free,
        await running.create(
            NAMES, match_id="drawn", deals=0, preset="fibur", dealer=None, draw_seats=True
        ),
        await running.create(NAMES, match_id="cut", deals=2, dealer=None, asks_cut=True),
        await running.create(NAMES, match_id="table-1", preset="online", seed=b"", board=board),
        await running.create(NAMES, match_id="table-2", preset="online", seed=b"", board=board),
        await running.create(NAMES, match_id="full", deals=0, seed=b"", dealer=cards_pb2.SEAT_E),
    ]


async def _play_out(client: Client, matches: int) -> list[str]:
    """Play one seat of so many matches greedily, a cut of its own choice too."""
    ended: list[str] = []
    while len(ended) < matches:
        frame = await client.read()
        if frame.HasField("decision"):
            await _answer(client, frame.decision)
        elif frame.HasField("verdict"):
            assert frame.verdict.kind == play_pb2.VERDICT_KIND_APPLIED, frame.verdict
            if frame.verdict.HasField("next"):
                await _answer(client, frame.verdict.next)
        elif frame.HasField("match_ended"):
            ended.append(frame.match_ended.seat.match_id)
    return ended


async def _answer(client: Client, decision: play_pb2.Decision) -> None:
    if decision.view.public.phase == views_pb2.PHASE_CUT:
        await client.act(decision, Cut(33))
    else:
        await client.greedy(decision)


async def _stopped(running: Running, client: Client) -> bytes:
    """A match that an organiser ends in its first deal; its commitment."""
    made = await running.create([client.name] * 4, match_id="stopped", dealer=None)
    decision = await client.decision()
    for _ in range(6):
        await client.act(decision, *client.default(decision))
        verdict = await client.verdict()
        decision = verdict.next if verdict.HasField("next") else await client.decision()
    request = match_service_pb2.AdjudicateMatchRequest(match_id="stopped", reason="test")
    await running.matches.AdjudicateMatch(request, metadata=running.organiser)
    return made.commitment


def verdict_on(text: str) -> MatchVerdict:
    (verdict,) = verify(text, ())
    return verdict


def test_every_exported_match_is_ok(played: Played) -> None:
    verdicts = list(verify(played.text, frozenset(played.promised.values())))
    assert [verdict.match_id for verdict in verdicts] == [*ENDED, "stopped"]
    assert all(verdict.is_ok for verdict in verdicts), [*map(str, verdicts)]
    deals = {verdict.match_id: verdict.deals for verdict in verdicts}
    full = deals.pop("full")
    assert full > 1
    assert deals == {
        "nonces": 3,
        "drawn": 4,
        "cut": 2,
        "table-1": 1,
        "table-2": 1,
        "stopped": 1,
    }
    assert f"ok full: {full} deals, commitment, shuffle, play" in map(str, verdicts)
    assert "ok table-1: 1 deal, commitment, shuffle, play" in map(str, verdicts)


def test_an_export_says_the_commitment_that_was_published(played: Played) -> None:
    for match_id, promised in played.promised.items():
        assert tag_of(blocks_of(played.of(match_id))[0], "Commitment") == promised.hex()


def test_exports_are_still_judged_block_by_block(played: Played) -> None:
    assert all(verdict.is_ok for verdict in judge(played.text))


SHUFFLED = "of Deal is not what seed and nonces give"
FORGERIES = [
    pytest.param("nonces", everywhere("Seed", one_bit), "Commitment does not", id="seed-bit"),
    pytest.param("nonces", at(2, "Seed", one_bit), "deal 2: Seed is not that of", id="one-seed"),
    pytest.param("nonces", everywhere("Seed", lambda seed: seed[2:]), "160 hexa", id="seed-short"),
    pytest.param("nonces", everywhere("Commitment", one_bit), "Commitment does", id="commitment"),
    pytest.param("nonces", everywhere("RulesHash", one_bit), "RulesHash is not", id="hash"),
    pytest.param("nonces", everywhere("Rules", to("online")), "RulesHash is not", id="rules"),
    pytest.param("nonces", everywhere("Match", to("m9")), "Commitment does not", id="match"),
    pytest.param("nonces", at(2, "Deal", exchange("N", "E")), f"deal 2: N E {SHUFFLED}", id="card"),
    pytest.param("nonces", at(3, "Deal", exchange("P2", "U")), f"deal 3: P2 U {SHUFFLED}", id="up"),
    pytest.param("nonces", at(1, "Deal", exchange("P1", "K")), f"deal 1: P1 K {SHUFFLED}", id="k"),
    pytest.param("nonces", lambda b: [b[0], b[2], b[1]], "deal 3 stands before deal 2", id="order"),
    pytest.param("nonces", swap_contents, f"deal 2: N E S W P1 P2 U K {SHUFFLED}", id="swapped"),
    pytest.param("nonces", at(2, "Dealer", other_seat), "deal 2: the dealer is N", id="dealer"),
    pytest.param("nonces", everywhere("FirstDealer", to("N")), "deal 1: the dealer is N", id="1st"),
    pytest.param("nonces", everywhere("FirstDealer", to("X")), "who dealt first is", id="no-1st"),
    pytest.param("nonces", everywhere("Nonces", one_bit), "deal 1: N E S W P1 P2 U K", id="nonce"),
    pytest.param("nonces", everywhere("Nonces", to("- - -")), "four nonces", id="three-nonces"),
    pytest.param("nonces", everywhere("Nonces", to("- - - x")), "a nonce is hexa", id="no-hex"),
    pytest.param("nonces", lambda b: [b[0], b[2]], "missing of 3 deals: 2", id="missing"),
    pytest.param("nonces", lambda b: b[:2], "missing of 3 deals: 3", id="last-missing"),
    pytest.param("nonces", lose_last, "the match is not over", id="last-hidden"),
    pytest.param("full", lose_last, "the match is not over", id="last-of-a-target-hidden"),
    pytest.param("nonces", lambda b: [*b, b[2]], "deal 3 is there 2 times", id="twice"),
    pytest.param("nonces", everywhere("DealCount", to("2")), "deal 3 of 2", id="too-many"),
    pytest.param(
        "nonces",
        everywhere("DealCount", to("100")),
        "missing of 100 deals: 4 5 6 7 8 and 92 more",
        id="many-missing",
    ),
    pytest.param("nonces", everywhere("DealCount", to("0")), "a number from 1", id="no-count"),
    pytest.param("nonces", everywhere("DealLimit", to("2")), "over after deal 2", id="limit"),
    pytest.param("nonces", at(2, "Result", to("NS 2000 EW 0")), "deal 2: differs NS", id="result"),
    pytest.param("nonces", at(3, "Scores", to("NS 0 EW 0")), "deal 3: NS", id="scores"),
    pytest.param("nonces", drop_action, "deal 1: differs *", id="action"),
    pytest.param("nonces", everywhere("MatchEnd", to("adjudicated")), "is over, and", id="end"),
    pytest.param("nonces", everywhere("MatchEnd", to("won")), "a match was played or", id="no-end"),
    pytest.param("nonces", at(2, "North", to("south")), "deal 2: North is not that", id="player"),
    pytest.param("stopped", everywhere("MatchEnd", to("played")), "MatchEnd is played", id="stop"),
    pytest.param("cut", at(1, "Cut", to("40")), "deal 1: N E S W P1 P2 U K", id="cut"),
    pytest.param("cut", at(1, "Cut", to("21")), "lifts 22 to 63 cards (R19)", id="cut-size"),
    pytest.param(
        "cut",
        lambda b: [b[0], without_tag(b[1], "Cut")],
        "of every deal of a match, or of none",
        id="one-cut",
    ),
    pytest.param(
        "drawn",
        lambda b: [block.replace("[Date", '[Cut "30"]\n[Date') for block in b],
        "rules fibur know no cut",
        id="cut-without",
    ),
    pytest.param("drawn", everywhere("Entry", to("a b c d")), "the draw seats", id="entry"),
    pytest.param("drawn", everywhere("Entry", to("a b c")), "four players in order", id="three"),
    pytest.param("drawn", everywhere("FirstDealer", to("N")), "the dealer is N", id="not-drawn"),
]


@pytest.mark.parametrize(("match_id", "forge", "named"), FORGERIES)
def test_a_forgery_is_found_and_named(
    played: Played, match_id: str, forge: Forge, named: str
) -> None:
    verdict = verdict_on("".join(forge(blocks_of(played.of(match_id)))))
    assert not verdict.is_ok
    assert any(named in fault for fault in verdict.faults), verdict.faults
    assert str(verdict).startswith(f"wrong {verdict.match_id}: ")


def unfinished(blocks: Blocks) -> Blocks:
    """A deal without its last turn that does not hide it."""
    (cut_off, *_) = drop_action(blocks)
    honest = with_tag(with_tag(cut_off, "Termination", "*"), "Result", "*")
    return with_tag_everywhere([honest], "DealCount", "1")


def test_a_deal_that_was_not_played_to_its_end(played: Played) -> None:
    verdict = verdict_on("".join(unfinished(blocks_of(played.of("nonces")))))
    assert verdict.faults == ("deal 1 was not played to its end",)


@pytest.mark.parametrize(
    "name", ["Commitment", "Seed", "Nonces", "RulesHash", "DealNumber", "Deal", "Dealer"]
)
def test_a_missing_tag_is_named(played: Played, name: str) -> None:
    (block,) = blocks_of(played.of("table-1"))
    verdict = verdict_on(without_tag(block, name))
    assert len(verdict.faults) == 1
    assert f"tag {name}" in verdict.faults[0] or "who dealt is missing" in verdict.faults[0]


def test_only_so_many_faults_are_shown(played: Played) -> None:
    forged = everywhere("Seed", one_bit)(blocks_of(played.of("drawn")))
    assert len(verdict_on("".join(forged)).faults) >= 5
    assert str(verdict_on("".join(forged))).count("; ") == 3
    assert " more" in str(verdict_on("".join(forged)))


def test_a_commitment_that_fits_but_was_not_published(played: Played) -> None:
    """A match that was made up afterwards is whole in itself: what was promised tells."""
    (verdict,) = verify(played.of("full"), {bytes(32), played.promised["nonces"]})
    assert verdict.faults == ("Commitment is not the one that was published",)


def test_tables_of_a_board_share_its_seed(played: Played) -> None:
    stranger = played.of("full").replace("[Rules ", '[Board "board-1"]\n[Rules ')
    first, second = verify(played.of("table-1") + stranger, ())
    assert first.is_ok
    assert second.faults == ("board board-1: its seed is not that of match table-1",)


@dataclass(frozen=True, slots=True)
class Ran:
    status: int
    out: str
    err: str


@pytest.fixture
def burraco(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Ran]:
    def run(*argv: str, stdin: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        return Ran(main(["verify", *argv]), *capsys.readouterr())

    return run


def test_the_command(played: Played, burraco: Callable[..., Ran], tmp_path: Path) -> None:
    good, bad = tmp_path / "good.bgn", tmp_path / "bad.bgn"
    good.write_text(played.of("nonces"))
    bad.write_text("".join(lose_last(blocks_of(played.of("nonces")))))
    ok = "ok nonces: 3 deals, commitment, shuffle, play\n"
    assert burraco(str(good)) == Ran(0, ok, "")
    assert burraco("-", stdin=played.of("nonces")) == Ran(0, ok, "")
    promised = played.promised["nonces"].hex()
    assert burraco(str(good), "--commitment", promised) == Ran(0, ok, "")
    assert burraco(str(good), "--commitment", "00" * 32).status == 1
    both = burraco(str(bad), str(good))
    assert (both.status, len(both.out.splitlines())) == (1, 2)
    assert both.out.startswith("wrong nonces: after deal 2 with NS ")


def test_what_the_command_cannot_read(burraco: Callable[..., Ran], tmp_path: Path) -> None:
    assert burraco(str(tmp_path / "none.bgn")).status == 2
    for no_digest in ("12", "no hex"):
        assert burraco("-", "--commitment", no_digest).status == 2
    scrap = tmp_path / "scrap.bgn"
    scrap.write_bytes(b"[BGN \xff")
    unreadable = burraco(str(scrap))
    assert (unreadable.status, unreadable.out) == (
        1,
        f'unreadable {scrap}:1:1: a tag is written [Name "value"] on one line\n',
    )
    stray = burraco("-", stdin='[BGN "1"]\n[Turn "N play"]\n')
    assert stray.out.startswith("unreadable -:1:2: no tag Match")
    odd = burraco("-", stdin='[BGN "1"]\n[Match "\x1b[2J"]\n')
    assert odd.out.startswith("unreadable -:2:9: an id of a match")


def run_node(path: Path) -> Ran:
    assert NODE is not None
    done = subprocess.run(
        [NODE, str(SCRIPT), str(path)], capture_output=True, text=True, check=False, timeout=60
    )
    return Ran(done.returncode, done.stdout, done.stderr)


@needs_node
def test_an_independent_verifier_agrees(played: Played, tmp_path: Path) -> None:
    path = tmp_path / "all.bgn"
    path.write_text(played.text)
    ran = run_node(path)
    assert (ran.status, ran.err) == (0, ""), ran.out
    lines = ran.out.splitlines()
    assert len(lines) == len(played.promised)
    assert "ok nonces: 3 deals, commitment, shuffle" in lines


DEALT_FORGERIES = (
    "seed-bit", "one-seed", "commitment", "hash", "match", "card", "up", "k", "order", "swapped",
    "dealer", "1st", "nonce", "missing", "last-missing", "twice", "too-many", "cut",
)  # fmt: skip


@needs_node
@pytest.mark.parametrize(
    ("match_id", "forge"),
    [
        pytest.param(*param.values[:2], id=param.id)
        for param in FORGERIES
        if param.id in DEALT_FORGERIES
    ],
)
def test_the_independent_verifier_finds_what_was_forged_in_the_dealing(
    played: Played, match_id: str, forge: Forge, tmp_path: Path
) -> None:
    path = tmp_path / "forged.bgn"
    path.write_text("".join(forge(blocks_of(played.of(match_id)))))
    ran = run_node(path)
    assert (ran.status, ran.err) == (1, "")
    assert ran.out.startswith("wrong ")
