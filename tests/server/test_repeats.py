"""An act that is sent again gets what it got, by whichever way it comes."""

from pathlib import Path

from burraco.engine import Discard
from burraco.v1 import matches_pb2, play_pb2, play_service_pb2
from tests.server.harness import SOLO, Client, Running, serving, solo

APPLIED = play_pb2.VERDICT_KIND_APPLIED
DUPLICATE = play_pb2.VERDICT_KIND_DUPLICATE
ILLEGAL = play_pb2.VERDICT_KIND_ILLEGAL
STALE = play_pb2.VERDICT_KIND_STALE
CONFLICT = play_pb2.VERDICT_KIND_CONFLICT
NOTHING = Discard(0)


async def submit(running: Running, act: play_pb2.Act) -> play_pb2.Verdict:
    request = play_service_pb2.SubmitActionRequest(act=act)
    answered = await running.play.SubmitAction(request, metadata=running.as_bot(SOLO))
    return answered.verdict


async def sent(client: Client, act: play_pb2.Act) -> play_pb2.Verdict:
    await client.send(play_pb2.ClientFrame(act=act))
    return await client.verdict()


def default_of(decision: play_pb2.Decision, action_id: str) -> play_pb2.Act:
    return play_pb2.Act(
        seat=decision.seat,
        decision_id=decision.decision_id,
        action_id=action_id,
        actions=decision.default_actions,
    )


def discard_of(decision: play_pb2.Decision, action_id: str) -> play_pb2.Act:
    """A discard before the draw, which the rules refuse (R44)."""
    act = default_of(decision, action_id)
    del act.actions[:]
    act.actions.add().discard.card = decision.view.own.hand[0]
    return act


async def test_a_repeat_on_the_stream_brings_the_first_verdict(running: Running) -> None:
    client = await solo(running)
    act = default_of(await client.decision(), "draw")
    first = await sent(client, act)
    assert first.kind == APPLIED
    assert first.next.decision_id
    assert first.events
    for again in (await sent(client, act), await submit(running, act)):
        assert again.kind == DUPLICATE
        assert again.first == first
        assert not again.first.HasField("first")
        assert again.next.decision_id == first.next.decision_id


async def test_a_repeat_by_calls_brings_the_first_verdict(running: Running) -> None:
    client = await solo(running)
    act = default_of(await client.decision(), "draw")
    first = await submit(running, act)
    assert first.kind == APPLIED
    for again in (await submit(running, act), await sent(client, act)):
        assert (again.kind, again.first) == (DUPLICATE, first)


async def test_the_first_verdict_is_that_of_the_last_act_of_each_seat(running: Running) -> None:
    client = await solo(running)
    first = default_of(await client.decision(), "one")
    second = default_of((await sent(client, first)).next, "two")
    told = await sent(client, second)
    # East plays now: North's last act is still known, the one before it only as a duplicate.
    await sent(client, default_of(await client.decision(), "three"))
    assert (await sent(client, second)).first == told
    again = await sent(client, first)
    assert again.kind == DUPLICATE
    assert not again.HasField("first")


async def test_the_last_act_of_a_match_is_known_when_it_has_ended(running: Running) -> None:
    client = await solo(running)
    acts: list[tuple[play_pb2.Act, play_pb2.Verdict]] = []
    decision = await client.decision()
    while True:
        act = default_of(decision, f"act-{len(acts)}")
        verdict = await sent(client, act)
        acts.append((act, verdict))
        if verdict.HasField("next"):
            decision = verdict.next
            continue
        frame = await client.read()
        if frame.HasField("match_ended"):
            break
        decision = frame.decision
    act, verdict = acts[-1]
    for again in (await submit(running, act), await sent(client, act)):
        assert (again.kind, again.first) == (DUPLICATE, verdict)


async def test_after_a_restart_a_repeat_is_a_duplicate_without_its_first_verdict(
    tmp_path: Path,
) -> None:
    async with serving(tmp_path) as running:
        client = await solo(running)
        act = default_of(await client.decision(), "draw")
        following = (await sent(client, act)).next
        tokens = running.tokens
    async with serving(tmp_path) as running:
        running.tokens = tokens
        again = await submit(running, act)
        assert again.kind == DUPLICATE
        assert not again.HasField("first")
        assert again.next.decision_id == following.decision_id


async def test_an_illegal_act_that_comes_again_counts_once(running: Running) -> None:
    client = await solo(running)
    act = discard_of(await client.decision(), "no")
    first = await sent(client, act)
    assert (first.kind, first.refusal.reason, first.retries_left) == (ILLEGAL, "MUST_DRAW_FIRST", 1)
    version = (await running.summary()).version
    assert await sent(client, act) == first
    assert await submit(running, act) == first
    assert (await running.summary()).version == version
    assert running.record().chairs[0].illegal_acts == 1
    # Another act is another try.
    act.action_id = "no again"
    assert (await sent(client, act)).retries_left == 0
    assert running.record().chairs[0].illegal_acts == 2


async def test_an_illegal_act_by_a_call_that_comes_again_counts_once(running: Running) -> None:
    client = await solo(running)
    act = discard_of(await client.decision(), "no")
    first = await submit(running, act)
    assert await submit(running, act) == first
    assert await sent(client, act) == first
    assert running.record().chairs[0].illegal_acts == 1


async def test_the_illegal_act_that_lost_the_decision_comes_again_as_it_was(
    running: Running,
) -> None:
    client = await solo(running, faults=matches_pb2.FaultTerms(illegal_retries=0, strikes=3))
    decision = await client.decision()
    act = discard_of(decision, "no")
    lost = await sent(client, act)
    assert (lost.kind, lost.strikes) == (ILLEGAL, 1)
    assert lost.played == decision.default_actions
    following = await client.decision()
    again = await sent(client, act)
    assert again.next.decision_id == following.decision_id
    again.ClearField("next")
    assert again == lost
    chair = running.record().chairs[0]
    assert (chair.illegal_acts, chair.strikes) == (1, 1)


async def test_other_content_under_a_refused_id_is_a_new_act(running: Running) -> None:
    client = await solo(running)
    decision = await client.decision()
    assert (await sent(client, discard_of(decision, "id"))).kind == ILLEGAL
    applied = await sent(client, default_of(decision, "id"))
    assert applied.kind == APPLIED
    # Now the id is that of the draw, and nothing else.
    assert (await sent(client, discard_of(decision, "id"))).kind == CONFLICT
    assert (await sent(client, default_of(decision, "id"))).first == applied


async def test_case_109_an_id_that_was_refused_serves_in_a_later_decision(
    running: Running,
) -> None:
    client = await solo(running)
    first = await client.decision()
    early = default_of(first, "late")
    early.decision_id += 1
    assert (await sent(client, early)).kind == STALE
    await client.act(first, NOTHING, action_id="never")
    assert (await client.verdict()).kind == ILLEGAL
    following = (await sent(client, default_of(first, "now"))).next
    assert (await sent(client, default_of(following, "late"))).kind == APPLIED
    third = await client.decision()
    assert (await sent(client, default_of(third, "never"))).kind == APPLIED
