"""Every act gets exactly one verdict (reported faults 107, 109, 110 and 119 among them)."""

from burraco.engine import DRAW_STOCK, TAKE_PILE, Discard, LayMeld
from burraco.engine.standin import greedy_action
from burraco.v1 import cards_pb2, matches_pb2, play_pb2, play_service_pb2
from tests.server.harness import Client, Running, solo

APPLIED = play_pb2.VERDICT_KIND_APPLIED
DUPLICATE = play_pb2.VERDICT_KIND_DUPLICATE
ILLEGAL = play_pb2.VERDICT_KIND_ILLEGAL
STALE = play_pb2.VERDICT_KIND_STALE
CONFLICT = play_pb2.VERDICT_KIND_CONFLICT


async def drawn(client: Client) -> tuple[play_pb2.Decision, play_pb2.Decision]:
    """The first decision of a match, answered by a draw, and the one that follows."""
    first = await client.decision()
    await client.act(first, DRAW_STOCK)
    verdict = await client.verdict()
    assert verdict.kind == APPLIED
    return first, verdict.next


async def test_a_draw_is_applied_and_the_next_decision_travels_with_it(running: Running) -> None:
    client = await solo(running)
    first, following = await drawn(client)
    verdict = client.frames[-1].verdict
    assert [event.WhichOneof("fact") for event in verdict.events] == ["card_drawn"]
    assert len(verdict.events[0].own.cards) == 1
    assert following.seat == first.seat
    assert following.decision_id == first.decision_id + 1
    assert following.attempt == 1
    assert not following.events
    assert client.view(following).drawn is not None


async def test_events_of_others_come_with_the_next_decision_without_gaps(
    running: Running,
) -> None:
    await running.register("n", "e", "s", "w")
    await running.create(["n", "e", "s", "w"])
    bots = [await running.connect(name) for name in "nesw"]
    numbers: list[list[int]] = [[], [], [], []]
    for turn in range(8):
        bot = bots[turn % 4]
        decision = await bot.decision()
        numbers[turn % 4] += [event.number for event in decision.events]
        await bot.act(decision, DRAW_STOCK)
        following = await bot.verdict()
        numbers[turn % 4] += [event.number for event in following.events]
        await bot.act(following.next, *bot.default(following.next))
        numbers[turn % 4] += [event.number for event in (await bot.verdict()).events]
    for seen in numbers:
        assert seen == list(range(1, len(seen) + 1))


async def test_case_107_a_repeat_is_a_duplicate_even_when_the_turn_has_moved_on(
    running: Running,
) -> None:
    client = await solo(running)
    _, play = await drawn(client)
    await client.act(play, *client.default(play), action_id="mine")
    assert (await client.verdict()).kind == APPLIED
    await client.decision()
    before = (await running.summary()).version
    await client.act(play, *client.default(play), action_id="mine")
    again = await client.verdict()
    assert again.kind == DUPLICATE
    assert again.decision_id == play.decision_id
    assert not again.events
    assert (await running.summary()).version == before


async def test_a_duplicate_gives_the_open_decision_of_its_seat_again(running: Running) -> None:
    client = await solo(running)
    first = await client.decision()
    await client.act(first, DRAW_STOCK, action_id="draw")
    following = (await client.verdict()).next
    await client.act(first, DRAW_STOCK, action_id="draw")
    again = await client.verdict()
    assert again.kind == DUPLICATE
    assert again.next.decision_id == following.decision_id
    assert again.next.view == following.view


async def test_an_action_id_with_other_content_is_a_conflict(running: Running) -> None:
    client = await solo(running)
    first = await client.decision()
    await client.act(first, DRAW_STOCK, action_id="same")
    following = (await client.verdict()).next
    await client.act(following, *client.default(following), action_id="same")
    conflict = await client.verdict()
    assert conflict.kind == CONFLICT
    assert conflict.refusal.reason == "ACTION_ID_REUSED"


async def test_case_109_a_refused_action_id_is_not_remembered(running: Running) -> None:
    client = await solo(running)
    first = await client.decision()
    await client.act(first, Discard(0), action_id="again")
    assert (await client.verdict()).kind == ILLEGAL
    await client.act(first, DRAW_STOCK, action_id="again")
    assert (await client.verdict()).kind == APPLIED


async def test_an_illegal_act_changes_nothing_and_asks_the_same_again(running: Running) -> None:
    client = await solo(running)
    first = await client.decision()
    await client.act(first, Discard(0))
    verdict = await client.verdict()
    assert verdict.kind == ILLEGAL
    assert (verdict.refusal.reason, verdict.refusal.rule) == ("MUST_DRAW_FIRST", "R44")
    assert verdict.retries_left == 1
    assert verdict.next.decision_id == first.decision_id
    assert verdict.next.attempt == 2
    assert verdict.next.view == first.view


async def test_after_the_last_retry_the_default_is_played_and_a_strike_counted(
    running: Running,
) -> None:
    client = await solo(running)
    first = await client.decision()
    decision = first
    for retries_left in (1, 0):
        await client.act(decision, Discard(0))
        verdict = await client.verdict()
        assert verdict.retries_left == retries_left
        decision = verdict.next
    await client.act(decision, Discard(0))
    lost = await client.verdict()
    assert lost.kind == ILLEGAL
    assert not lost.HasField("next")
    assert lost.played == first.default_actions
    following = await client.decision()
    assert following.seat == first.seat
    assert [event.WhichOneof("fact") for event in following.events] == ["card_drawn"]
    chair = running.record().chairs[first.seat.seat - 1]
    assert (chair.strikes, chair.illegal_acts) == (1, 3)


async def test_strikes_give_the_seat_to_a_stand_in_and_the_match_goes_on(
    running: Running,
) -> None:
    await running.register("bad", "good")
    faults = matches_pb2.FaultTerms(illegal_retries=0, strikes=2)
    await running.create(["bad", "good", "good", "good"], faults=faults)
    good = await running.connect("good")
    bad = await running.connect("bad")
    first = await bad.decision()
    await bad.act(first, Discard(0))
    assert (await bad.verdict()).kind == ILLEGAL
    second = await bad.decision()
    await bad.act(second, DRAW_STOCK)
    struck = await bad.verdict()
    assert (struck.kind, struck.refusal.reason) == (ILLEGAL, "ALREADY_DRAWN")
    (ended,) = {end.result.SerializeToString() for end in await good.play_to_the_end(3)}
    result = matches_pb2.MatchResult.FromString(ended)
    assert result.end == matches_pb2.MATCH_END_PLAYED
    assert [seat.end for seat in result.seats] == [
        matches_pb2.SEAT_END_ILLEGAL_ACTS,
        *[matches_pb2.SEAT_END_CLEAN] * 3,
    ]
    assert result.seats[0].fault == matches_pb2.FAULT_BOT
    told = (await bad.read_until("match_ended")).match_ended
    assert told.result == result


async def test_case_110_the_second_answer_to_one_decision_is_stale(running: Running) -> None:
    client = await solo(running)
    first, _ = await drawn(client)
    await client.act(first, TAKE_PILE)
    stale = await client.verdict()
    assert stale.kind == STALE
    assert stale.refusal.reason == "OTHER_DECISION_OPEN"


async def test_a_decision_that_never_was_is_stale(running: Running) -> None:
    client = await solo(running)
    first = await client.decision()
    first.decision_id = 99
    await client.act(first, DRAW_STOCK)
    assert (await client.verdict()).kind == STALE


async def test_an_act_out_of_turn_is_stale(running: Running) -> None:
    client = await solo(running)
    first = await client.decision()
    assert first.seat.seat == cards_pb2.SEAT_N
    first.seat.seat = cards_pb2.SEAT_E
    await client.act(first, DRAW_STOCK)
    stale = await client.verdict()
    assert (stale.kind, stale.refusal.reason) == (STALE, "NOT_YOUR_TURN")


async def test_an_act_does_not_go_on_past_a_draw(running: Running) -> None:
    client = await solo(running)
    first = await client.decision()
    card = client.view(first).hand[0]
    await client.act(first, DRAW_STOCK, Discard(card))
    verdict = await client.verdict()
    assert (verdict.kind, verdict.refusal.reason) == (ILLEGAL, "ACT_PAST_REVEAL")
    assert verdict.next.view == first.view
    assert (await running.summary()).deals_played == 0


async def test_an_act_is_all_or_nothing(running: Running) -> None:
    client = await solo(running)
    _, play = await drawn(client)
    hand = client.view(play).hand
    await client.act(play, Discard(hand[0]), Discard(hand[1]))
    verdict = await client.verdict()
    assert (verdict.kind, verdict.refusal.reason) == (ILLEGAL, "NOT_YOUR_TURN")
    assert verdict.next.view == play.view


async def test_several_actions_in_one_act_are_played_in_order(running: Running) -> None:
    client = await solo(running)
    decision = await client.decision()
    while True:
        view = client.view(decision)
        action = greedy_action(view)
        if isinstance(action, LayMeld) and len(view.hand) > len(action.cards) + 1:
            rest = next(card for card in view.hand if card not in action.cards)
            await client.act(decision, action, Discard(rest))
            break
        await client.act(decision, action)
        verdict = await client.verdict()
        assert verdict.kind == APPLIED
        decision = verdict.next if verdict.HasField("next") else await client.decision()
    verdict = await client.verdict()
    assert verdict.kind == APPLIED
    facts = [event.WhichOneof("fact") for event in verdict.events]
    assert facts == ["meld_laid", "card_discarded"]
    following = await client.decision()
    assert following.seat != decision.seat


async def test_an_act_after_the_match_is_stale_and_a_repeat_still_a_duplicate(
    running: Running,
) -> None:
    client = await solo(running)
    first = await client.decision()
    await client.act(first, DRAW_STOCK, action_id="first")
    await client.greedy((await client.verdict()).next)
    await client.play_to_the_end(4)
    await client.act(first, DRAW_STOCK, action_id="first")
    assert (await client.verdict()).kind == DUPLICATE
    await client.act(first, DRAW_STOCK, action_id="late")
    stale = await client.verdict()
    assert (stale.kind, stale.refusal.reason) == (STALE, "MATCH_OVER")


async def test_watch_seat_and_submit_action_are_twins_of_the_stream(running: Running) -> None:
    await running.register("curl", "rest")
    await running.create(["curl", "rest", "rest", "rest"])
    await running.connect("rest")
    metadata = running.as_bot("curl")
    watching = running.play.WatchSeat(
        play_service_pb2.WatchSeatRequest(match_id="m", seat=cards_pb2.SEAT_N), metadata=metadata
    )
    started = await watching.read()
    assert isinstance(started, play_pb2.ServerFrame)
    assert started.HasField("match_started")
    asked = await watching.read()
    assert isinstance(asked, play_pb2.ServerFrame)
    act = play_pb2.Act(
        seat=asked.decision.seat,
        decision_id=asked.decision.decision_id,
        action_id="one",
        actions=asked.decision.default_actions,
    )
    request = play_service_pb2.SubmitActionRequest(act=act)
    first = (await running.play.SubmitAction(request, metadata=metadata)).verdict
    assert first.kind == APPLIED
    assert first.next.decision_id == asked.decision.decision_id + 1
    followed = await watching.read()
    assert isinstance(followed, play_pb2.ServerFrame)
    assert followed.decision.decision_id == first.next.decision_id
    assert followed.decision.events == first.events
    again = (await running.play.SubmitAction(request, metadata=metadata)).verdict
    assert again.kind == DUPLICATE
    watching.cancel()


async def test_watch_seat_of_a_match_that_is_over_tells_its_end_and_ends(running: Running) -> None:
    client = await solo(running)
    await client.play_to_the_end()
    for seat in (cards_pb2.SEAT_N, cards_pb2.SEAT_S):
        request = play_service_pb2.WatchSeatRequest(match_id="m", seat=seat)
        watching = running.play.WatchSeat(request, metadata=running.as_bot(client.name), timeout=30)
        (told,) = [frame async for frame in watching]
        assert (told.seq, told.match_ended.seat.seat) == (1, seat)
        assert told.match_ended.result == (await running.summary()).result
