"""The client against a server that loses connections and answers, repeats itself, and refuses."""

import grpc
import pytest

from burraco.engine import start_match
from burraco.engine.events import CardDrawn, DealStarted
from burraco.engine.match import play
from burraco.sdk import (
    DRAW_STOCK,
    TAKE_PILE,
    Action,
    Add,
    Bot,
    ClientFailed,
    Cut,
    Discard,
    IllegalAnswer,
    MatchResult,
    Place,
    PlayOptions,
    PlayPlan,
    Table,
    View,
    play_bot,
)
from burraco.v1 import match_service_pb2, matches_pb2, play_pb2
from burraco.wire import action_from_wire, seat_to_wire
from tests.sdk.fake_server import (
    TOKEN,
    Connection,
    Field,
    Matches,
    a_match,
    after,
    cut_decision,
    decision,
    ended,
    refusal,
    result,
    serving,
    started,
    wire_events,
)


class Drawer(Bot):
    """Draws and discards the first card it may; remembers what it was told."""

    made: list["Drawer"]

    def __init__(self) -> None:
        type(self).made.append(self)
        self.tables: list[Table] = []
        self.starts = 0
        self.results: list[MatchResult] = []

    def start(self, table: Table) -> None:
        self.starts += 1

    def decide(self, view: View) -> Action:
        self.tables.append(self.table)
        return next(a for a in view.legal if a != TAKE_PILE and not isinstance(a, Add))

    def end(self, result: MatchResult) -> None:
        self.results.append(result)


@pytest.fixture
def drawer() -> type[Drawer]:
    class Fresh(Drawer):
        made = []  # noqa: RUF012 - of this test alone

    return Fresh


async def run(
    bot: type[Bot], address: str, options: PlayOptions | None = None, **plan: Field
) -> dict[str, MatchResult]:
    options = options or PlayOptions()
    return await play_bot(bot, address, TOKEN, PlayPlan(options, **{"matches": 1, **plan}))


def actions_of(act: play_pb2.Act) -> list[Action]:
    return [action_from_wire(action) for action in act.actions]


MATCH = a_match()
DRAWN = after(MATCH, DRAW_STOCK)


async def test_142_a_bot_that_is_to_move_at_once_moves_and_again_after_reconnecting(
    drawer: type[Drawer],
) -> None:
    acts: list[play_pb2.Act] = []

    async def first(line: Connection) -> None:
        await line.open()
        assert line.hello.session_id == ""
        assert line.metadata["authorization"] == f"Bearer {TOKEN}"
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        acts.append(await line.act())

    async def second(line: Connection) -> None:
        await line.open(resumed=True)
        assert (line.hello.session_id, line.hello.last_seq) == ("session", 2)
        acts.append(await line.act())
        await line.judge(acts[1], "DUPLICATE", 3)
        await line.send(4, match_ended=ended())
        await line.until_closed()

    async with serving(first, second) as address:
        results = await run(drawer, address)
    assert acts[0] == acts[1]
    assert actions_of(acts[0]) == [DRAW_STOCK]
    (bot,) = drawer.made
    assert (bot.starts, len(bot.tables), bot.results) == (1, 1, [results["m"]])
    assert results["m"].totals == (100, 20)
    assert results["m"].is_clean


async def test_143_only_match_ended_ends_a_match(drawer: type[Drawer]) -> None:
    async def broken(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.fail(grpc.StatusCode.UNAVAILABLE, "gone")

    async def closed(line: Connection) -> None:
        await line.open(resumed=True)

    async def whole(line: Connection) -> None:
        await line.open(resumed=True)
        await line.send(2, decision=decision(MATCH, 1))
        await line.judge(await line.act(), "APPLIED", 3, next=decision(DRAWN, 2))
        await line.judge(await line.act(), "APPLIED", 4)
        await line.send(5, match_ended=ended())
        await line.until_closed()

    async with serving(broken, closed, whole) as address:
        results = await run(drawer, address)
    assert list(results) == ["m"]
    assert len(drawer.made) == 1


async def test_a_session_that_begins_afresh_asks_again_and_gets_the_same_act(
    drawer: type[Drawer],
) -> None:
    acts: list[play_pb2.Act] = []

    async def first(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        acts.append(await line.act())

    async def second(line: Connection) -> None:
        await line.open(session="another")
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        acts.append(await line.act())
        await line.judge(acts[1], "DUPLICATE", 3, next=decision(DRAWN, 2))
        acts.append(await line.act())
        await line.judge(acts[2], "APPLIED", 4)
        await line.send(5, match_ended=ended())
        await line.until_closed()

    running = match_service_pb2.GetMatchResponse(
        match=matches_pb2.MatchSummary(match_id="m", state=matches_pb2.MATCH_STATE_RUNNING)
    )
    async with serving(first, second, matches=Matches(GetMatch=running)) as address:
        await run(drawer, address)
    assert acts[0] == acts[1]
    assert acts[2].decision_id == 2
    (bot,) = drawer.made
    assert (bot.starts, len(bot.tables)) == (1, 2)


async def test_a_match_that_ended_while_the_server_restarted_is_asked_for(
    drawer: type[Drawer],
) -> None:
    async def first(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())

    async def second(line: Connection) -> None:
        await line.open(session="another")
        await line.send(1, match_started=started("other"))
        await line.send(2, match_ended=ended("other"))
        await line.until_closed()

    over = matches_pb2.MatchSummary(
        match_id="m", state=matches_pb2.MATCH_STATE_ENDED, result=result(5, -5)
    )
    answer = match_service_pb2.GetMatchResponse(match=over)
    async with serving(first, second, matches=Matches(GetMatch=answer)) as address:
        results = await run(drawer, address, matches=2)
    assert results["m"].totals == (5, -5)


async def test_frames_that_come_twice_are_taken_once(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        for _ in range(2):
            await line.send(2, decision=decision(MATCH, 1))
        act = await line.act()
        await line.judge(act, "APPLIED", 3)
        await line.judge(act, "DUPLICATE", 4, next=decision(DRAWN, 2))
        await line.send(5, decision=decision(DRAWN, 2))
        second = await line.act()
        assert second.decision_id == 2
        await line.judge(second, "APPLIED", 6)
        await line.send(7, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(drawer, address)


class Wrong(Drawer):
    """Answers illegally, always."""

    made = []  # noqa: RUF012 - emptied by the tests

    def decide(self, view: View) -> Action:
        self.tables.append(self.table)
        return Add(99, view.hand[:1])


async def _refused(line: Connection, tries: int) -> play_pb2.Act:
    await line.open()
    await line.send(1, match_started=started())
    await line.send(2, decision=decision(DRAWN, 7))
    for attempt in range(2, tries + 2):
        act = await line.act()
        assert actions_of(act) == [Add(99, act_cards(act))]
        question = decision(DRAWN, 7, attempt=attempt)
        await line.judge(act, "ILLEGAL", attempt + 1, refusal=refusal(), next=question)
    return await line.act()


def act_cards(act: play_pb2.Act) -> tuple[int, ...]:
    (action,) = actions_of(act)
    assert isinstance(action, Add)
    return action.cards


async def test_after_two_illegal_answers_the_default_is_sent() -> None:
    acts: list[play_pb2.Act] = []

    async def script(line: Connection) -> None:
        acts.append(await _refused(line, 2))
        await line.judge(acts[0], "APPLIED", 5)
        await line.send(6, match_ended=ended())
        await line.until_closed()

    Wrong.made = []
    async with serving(script) as address:
        await run(Wrong, address)
    assert actions_of(acts[0]) == list(Wrong.made[0].tables[0].default)
    first, second = Wrong.made[0].tables
    assert first.refusal is None
    assert second.refusal is not None
    assert (second.refusal.reason, second.refusal.rule) == ("NO_SUCH_MELD", "R27")
    assert (first.attempt, second.attempt) == (1, 2)


async def test_a_bot_that_does_not_give_way_is_asked_until_the_match_has_enough() -> None:
    class Stubborn(Wrong):
        gives_way = False

    async def script(line: Connection) -> None:
        act = await _refused(line, 3)
        await line.judge(act, "ILLEGAL", 6, refusal=refusal())
        await line.send(7, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(Stubborn, address)


async def test_strict_raises_at_the_first_illegal_answer() -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(DRAWN, 7))
        await line.judge(await line.act(), "ILLEGAL", 3, refusal=refusal())
        await line.until_closed()

    said = "match m, seat N, decision 7: NO_SUCH_MELD (R27): name a meld of your own side"
    async with serving(script) as address:
        with pytest.raises(IllegalAnswer) as caught:
            await run(Wrong, address, PlayOptions(strict=True))
    assert str(caught.value) == said


@pytest.mark.parametrize("kind", ["TOO_LATE", "STALE", "CONFLICT"])
async def test_145_after_a_late_answer_the_bot_goes_on(drawer: type[Drawer], kind: str) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        await line.judge(await line.act(), kind, 3, refusal=refusal("DECISION_LOST"))
        await line.send(4, decision=decision(DRAWN, 5))
        act = await line.act()
        assert act.decision_id == 5
        await line.judge(act, "APPLIED", 5)
        await line.send(6, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(drawer, address)


async def test_145_an_act_whose_verdict_is_lost_is_sent_again(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        act = await line.act()
        assert await line.act() == act
        await line.judge(act, "DUPLICATE", 3)
        await line.send(4, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(drawer, address, nudge=0.01)


async def test_an_act_refused_for_now_is_sent_again(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1))
        act = await line.act()
        away = play_pb2.StreamError(
            code="UNAVAILABLE", refusal=refusal("LOG_UNAVAILABLE"), action_id=act.action_id
        )
        await line.send(stream_error=away)
        assert await line.act() == act
        await line.judge(act, "APPLIED", 3)
        await line.send(4, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(drawer, address, nudge=0.01)


async def test_an_act_that_cannot_be_read_is_asked_for_again_and_then_the_default() -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(DRAWN, 7))
        for _ in range(2):
            act = await line.act()
            unread = play_pb2.StreamError(
                code="INVALID_ARGUMENT", refusal=refusal("INVALID_FIELD"), action_id=act.action_id
            )
            await line.send(stream_error=unread)
        act = await line.act()
        assert actions_of(act) == [Discard(DRAWN.deal.drawn)] if DRAWN.deal else []
        await line.judge(act, "APPLIED", 3)
        await line.send(4, match_ended=ended())
        await line.until_closed()

    Wrong.made = []
    async with serving(script) as address:
        await run(Wrong, address)
    second = Wrong.made[0].tables[1].refusal
    assert second is not None
    assert second.reason == "INVALID_FIELD"


async def test_an_answer_that_no_message_can_hold_is_refused_before_it_is_sent() -> None:
    class Negative(Drawer):
        made = []  # noqa: RUF012 - of this test alone

        def decide(self, view: View) -> Action:
            self.tables.append(self.table)
            return Add(-1, view.hand[:1])

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 7))
        assert actions_of(await line.act()) == [DRAW_STOCK]
        await line.send(3, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(Negative, address)
    assert len(Negative.made[0].tables) == 2


@pytest.mark.parametrize("chosen", [30, None])
async def test_a_bot_cuts_or_leaves_it_to_the_match(chosen: int | None) -> None:
    class Cutter(Bot):
        def cut(self) -> int | None:
            return chosen

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=cut_decision(1, Cut(41)))
        assert actions_of(await line.act()) == [Cut(chosen or 41)]
        await line.send(3, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(Cutter, address)


async def test_events_reach_the_bot_once_and_gaps_are_counted(drawer: type[Drawer]) -> None:
    opening = start_match(MATCH.setup)
    drawing = play(opening.match, DRAW_STOCK)
    dealt = wire_events(opening.events, 1)
    drew = wire_events(drawing.events, 5)

    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started())
        await line.send(2, decision=decision(MATCH, 1, events=dealt))
        verdict = {"events": [*dealt, *drew], "next": decision(DRAWN, 2, events=drew)}
        await line.judge(await line.act(), "APPLIED", 3, **verdict)
        await line.judge(await line.act(), "APPLIED", 4)
        await line.send(5, match_ended=ended())
        await line.until_closed()

    async with serving(script) as address:
        await run(drawer, address)
    first, second = drawer.made[0].tables
    assert [type(event.fact) for event in first.events] == [DealStarted]
    assert [type(event.fact) for event in second.events] == [CardDrawn]
    assert second.events[0].cards
    assert (first.missed, second.missed) == (0, 3)


async def test_one_stream_carries_all_seats_with_a_bot_for_each(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        names = [("a", 0), ("a", 2), ("b", 0)]
        for seq, (name, seat) in enumerate(names, 1):
            await line.send(seq, match_started=started(name, seat))
        for seq, name in ((4, "b"), (5, "a")):
            await line.send(seq, decision=decision(MATCH, 1, name))
            act = await line.act()
            assert (act.seat.match_id, act.seat.seat) == (name, seat_to_wire(0))
            await line.judge(act, "APPLIED")
        for seq, (name, seat) in enumerate(names, 6):
            await line.send(seq, match_ended=ended(name, seat))
        await line.until_closed()

    heard: list[tuple[str, int]] = []
    async with serving(script) as address:
        results = await run(
            drawer, address, matches=2, told=lambda name, seat, _: heard.append((name, seat))
        )
    assert list(results) == ["a", "b"]
    assert heard == [("a", 0), ("a", 2), ("b", 0)]
    assert len(drawer.made) == 3


async def test_an_end_of_a_match_of_an_earlier_process_is_nothing_to_this_one(
    drawer: type[Drawer],
) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_ended=ended("old"))
        await line.send(2, match_started=started("new"))
        await line.send(3, match_ended=ended("new"))
        await line.until_closed()

    async with serving(script) as address:
        assert list(await run(drawer, address)) == ["new"]


async def test_a_client_whose_session_was_taken_over_ends(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(superseded=play_pb2.Superseded(fence=2))
        await line.fail(grpc.StatusCode.ABORTED, "superseded")

    async with serving(script) as address:
        with pytest.raises(ClientFailed, match="another process plays with this token now"):
            await run(drawer, address)


async def test_a_token_nobody_knows_ends_the_client_at_once(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.fail(grpc.StatusCode.UNAUTHENTICATED, "nobody knows this token")

    async with serving(script) as address:
        with pytest.raises(ClientFailed, match="nobody knows this token"):
            await run(drawer, address)


async def test_a_server_that_is_not_there_is_named(drawer: type[Drawer]) -> None:
    async with serving() as address:
        pass
    with pytest.raises(ClientFailed, match=rf"{address}: no contact .* check that the server"):
        await run(drawer, address, patience=0.0)


async def test_a_free_seat_is_taken_before_playing(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.send(1, match_started=started(seat=2))
        await line.send(2, match_ended=ended(seat=2))
        await line.until_closed()

    joined = match_service_pb2.JoinMatchResponse(seat=seat_to_wire(2))
    matches = Matches(JoinMatch=joined)
    async with serving(script, matches=matches) as address:
        await run(drawer, address, join=Place("m", 2))
    (request,) = matches.requests
    assert (request.match_id, request.seat) == ("m", seat_to_wire(2))


async def test_a_seat_that_cannot_be_taken_ends_the_client(drawer: type[Drawer]) -> None:
    async def script(line: Connection) -> None:
        await line.open()
        await line.until_closed()

    taken = (grpc.StatusCode.FAILED_PRECONDITION, "seat N is taken: wish for another")
    async with serving(script, matches=Matches(JoinMatch=taken)) as address:
        with pytest.raises(ClientFailed, match="match m: seat N is taken"):
            await run(drawer, address, join=Place("m", 0))
