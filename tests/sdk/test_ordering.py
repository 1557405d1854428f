"""Frames that are missing or changed, and verdicts that must not come."""

import asyncio

import pytest

from burraco.sdk import Breach, ContractBroken, PlayOptions, PlayPlan
from burraco.sdk.backoff import LONGEST_SECONDS, SHORTEST_SECONDS, BackOff
from burraco.sdk.calls import Server
from burraco.sdk.client import PlayClient
from burraco.sdk.ordering import DIGESTS, ActLedger, FrameOrder, StreamLost
from burraco.v1 import play_pb2
from tests.sdk.drawer import MATCH, Drawer, run
from tests.sdk.fake_server import (
    TOKEN,
    Connection,
    Field,
    decision,
    ended,
    seat_ref,
    serving,
    started,
)

# No wait between connections is as long.
NUDGE = 1234.0
STRICT = PlayOptions(strict=True)


def frame(seq: int, match_id: str = "m") -> play_pb2.ServerFrame:
    return play_pb2.ServerFrame(seq=seq, match_started=started(match_id))


def welcome(**fields: Field) -> play_pb2.Welcome:
    return play_pb2.Welcome(**{"session_id": "s", "fence": 1, **fields})


def an_order(*, strict: bool, frames: int = 0) -> FrameOrder:
    order = FrameOrder(strict=strict)
    order.greet(welcome())
    for seq in range(1, frames + 1):
        assert order.take(frame(seq))
    return order


def breach_of(caught: pytest.ExceptionInfo[ContractBroken]) -> Breach:
    assert str(caught.value).startswith(f"{caught.value.breach}: ")
    return caught.value.breach


def test_a_frame_is_new_once_and_those_without_a_number_are_always() -> None:
    order = an_order(strict=False, frames=3)
    assert not order.take(frame(2))
    assert order.take(frame(0))
    assert order.last_seq == 3


def test_a_missing_frame_loses_the_stream_and_is_counted() -> None:
    order = an_order(strict=False, frames=3)
    with pytest.raises(StreamLost, match="frame 4 is missing"):
        order.take(frame(5))
    assert (order.last_seq, order.gaps) == (3, 1)
    order.greet(welcome(resumed=True, fence=2))
    assert order.take(frame(4))


def test_a_pong_shows_that_a_frame_is_missing() -> None:
    order = an_order(strict=False, frames=3)
    assert order.take(play_pb2.ServerFrame(pong=play_pb2.Pong(last_seq=3)))
    with pytest.raises(StreamLost, match="frame 4 is missing"):
        order.take(play_pb2.ServerFrame(pong=play_pb2.Pong(last_seq=4)))


def test_a_session_that_begins_afresh_counts_afresh() -> None:
    order = an_order(strict=True, frames=3)
    order.greet(welcome(session_id="another"))
    assert order.take(frame(1, "other"))


def test_strict_raises_at_a_gap() -> None:
    with pytest.raises(ContractBroken) as caught:
        an_order(strict=True, frames=1).take(frame(3))
    assert breach_of(caught) is Breach.FRAME_GAP


def test_strict_raises_at_a_frame_with_other_content() -> None:
    order = an_order(strict=True, frames=2)
    assert not order.take(frame(2))
    with pytest.raises(ContractBroken) as caught:
        order.take(frame(2, "other"))
    assert breach_of(caught) is Breach.FRAME_CHANGED


def test_digests_are_kept_of_the_latest_frames_alone() -> None:
    order = an_order(strict=True, frames=DIGESTS + 1)
    assert not order.take(frame(1, "other"))
    with pytest.raises(ContractBroken):
        order.take(frame(DIGESTS + 1, "other"))


@pytest.mark.parametrize("fence", [1, 0])
def test_strict_raises_at_a_fence_that_does_not_grow(fence: int) -> None:
    order = an_order(strict=True)
    with pytest.raises(ContractBroken) as caught:
        order.greet(welcome(resumed=True, fence=fence))
    assert breach_of(caught) is Breach.FENCE_BACK
    relaxed = an_order(strict=False)
    relaxed.greet(welcome(resumed=True, fence=fence))


def a_ledger(*sent: str) -> ActLedger:
    ledger = ActLedger()
    for action_id in sent:
        ledger.send(play_pb2.Act(seat=seat_ref(), decision_id=1, action_id=action_id))
    return ledger


def verdict(action_id: str, kind: str = "APPLIED", decision_id: int = 1) -> play_pb2.Verdict:
    return play_pb2.Verdict(
        seat=seat_ref(),
        decision_id=decision_id,
        action_id=action_id,
        kind=play_pb2.VerdictKind.Value(f"VERDICT_KIND_{kind}"),
    )


def test_an_act_that_was_sent_twice_may_get_two_verdicts() -> None:
    ledger = a_ledger("a", "a")
    ledger.judge(verdict("a"))
    ledger.judge(verdict("a", "DUPLICATE"))


@pytest.mark.parametrize(
    ("sent", "verdicts", "breach"),
    [
        ((), [verdict("a")], Breach.ACT_UNSENT),
        (("a",), [verdict("a"), verdict("a", "DUPLICATE")], Breach.VERDICT_TWICE),
        (("a", "a"), [verdict("a"), verdict("a")], Breach.VERDICT_TWICE),
        (("a",), [verdict("a", decision_id=2)], Breach.QUESTION_UNASKED),
    ],
)
def test_verdicts_that_must_not_come(
    sent: tuple[str, ...], verdicts: list[play_pb2.Verdict], breach: Breach
) -> None:
    ledger = a_ledger(*sent)
    *good, bad = verdicts
    for told in good:
        ledger.judge(told)
    with pytest.raises(ContractBroken) as caught:
        ledger.judge(bad)
    assert breach_of(caught) is breach


def test_an_error_names_an_act_that_was_sent_or_none() -> None:
    ledger = a_ledger("a")
    ledger.complain(play_pb2.StreamError())
    ledger.complain(play_pb2.StreamError(action_id="a"))
    with pytest.raises(ContractBroken) as caught:
        ledger.complain(play_pb2.StreamError(action_id="b"))
    assert breach_of(caught) is Breach.ACT_UNSENT


async def _with_a_gap(line: Connection) -> None:
    await line.open()
    await line.send(1, match_started=started())
    await line.send(3, match_started=started("third"))
    await line.until_closed()


async def test_a_gap_makes_the_client_connect_again_from_the_last_good_frame(
    drawer: type[Drawer], caplog: pytest.LogCaptureFixture
) -> None:
    async def second(line: Connection) -> None:
        await line.open(resumed=True, last_seq=3)
        assert line.hello.last_seq == 1
        await line.send(2, match_started=started("second"))
        await line.send(3, match_started=started("third"))
        for seq, name in enumerate(("m", "second", "third"), 4):
            await line.send(seq, match_ended=ended(name))
        await line.until_closed()

    async with serving(_with_a_gap, second) as address:
        client = PlayClient(drawer, Server(address, TOKEN), PlayPlan(matches=3))
        results = await client.play()
    assert list(results) == ["m", "second", "third"]
    assert client.gaps == 1
    assert "frame 2 is missing; connecting again" in caplog.text


async def test_or_ends_in_strict_mode_with_a_good_bye(drawer: type[Drawer]) -> None:
    lines: list[Connection] = []

    async def script(line: Connection) -> None:
        lines.append(line)
        await _with_a_gap(line)

    async with serving(script) as address:
        with pytest.raises(ContractBroken) as caught:
            await run(drawer, address, STRICT)
    assert breach_of(caught) is Breach.FRAME_GAP
    assert lines[0].has_left


async def test_strict_mode_hears_of_verdicts_on_acts_of_nobody(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        act = await line.act()
        act.action_id = "of-somebody-else"
        await line.judge(act, "APPLIED", 3)
        await line.until_closed()

    async with serving(script) as address:
        with pytest.raises(ContractBroken) as caught:
            await run(drawer, address, STRICT)
    assert breach_of(caught) is Breach.ACT_UNSENT


def test_waits_grow_to_a_bound_and_none_is_like_another() -> None:
    for failures in range(30):
        waits = []
        for _ in range(50):
            back_off = BackOff()
            for _ in range(failures):
                back_off.next_seconds()
            waits.append(back_off.next_seconds())
        longest = min(LONGEST_SECONDS, SHORTEST_SECONDS * 2**failures)
        assert longest / 2 <= min(waits) < max(waits) <= longest


def test_a_connection_that_held_makes_the_next_wait_short() -> None:
    back_off = BackOff()
    for _ in range(9):
        back_off.next_seconds()
    back_off.succeed()
    assert back_off.next_seconds() <= SHORTEST_SECONDS


def test_what_the_server_asks_for_comes_on_top() -> None:
    assert 3 < BackOff().next_seconds(3) <= 3 + SHORTEST_SECONDS


async def test_the_client_waits_between_connections_as_it_should(drawer: type[Drawer]) -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        if seconds == NUDGE:
            await asyncio.Event().wait()
        waited.append(seconds)

    async def silent(line: Connection) -> None:
        await line.receive()

    async def last(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, match_ended=ended())
        await line.until_closed()

    async with serving(*[silent] * 8, last) as address:
        plan = PlayPlan(matches=1, nudge=NUDGE)
        await PlayClient(drawer, Server(address, TOKEN), plan, sleep).play()
    assert len(waited) == 8
    for failures, seconds in enumerate(waited):
        longest = min(LONGEST_SECONDS, SHORTEST_SECONDS * 2**failures)
        assert longest / 2 <= seconds <= longest
