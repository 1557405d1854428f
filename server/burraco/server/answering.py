"""Answers acts: every act gets exactly one verdict, or the one reason why there can be none.

An action id that was played before is looked for before anything else, so that an act which is sent
again can never be refused for coming late. One that the rules have refused and that comes again
gets the same refusal without being judged, so that it counts once.
"""

from functools import partial
from typing import TYPE_CHECKING, Final

from burraco.engine.errors import IllegalAction
from burraco.engine.match import MatchStep
from burraco.server import living
from burraco.server.acts import Act
from burraco.server.asked import Asked, Spent
from burraco.server.errors import internal, log_unavailable
from burraco.server.failpoints import passing
from burraco.server.frames import fill_decision, verdict_frame
from burraco.server.journal import Acted, Refused
from burraco.server.links import seat_ref
from burraco.server.record import PastReveal, play_all
from burraco.server.store import StoreFailed
from burraco.server.terms import MatchState, PlayedBy
from burraco.v1 import errors_pb2, play_pb2
from burraco.wire import action_to_wire

if TYPE_CHECKING:
    from burraco.server.table import Table

_WORDS: Final = {
    play_pb2.VERDICT_KIND_APPLIED: "applied",
    play_pb2.VERDICT_KIND_DUPLICATE: "duplicate",
    play_pb2.VERDICT_KIND_ILLEGAL: "illegal",
    play_pb2.VERDICT_KIND_STALE: "stale",
    play_pb2.VERDICT_KIND_TOO_LATE: "too_late",
    play_pb2.VERDICT_KIND_CONFLICT: "conflict",
}


def answer(table: "Table", act: Act) -> None:
    """Give an act its verdict; a fault of our own is answered too, with the state kept."""
    try:
        _answer(table, act)
    except Exception as error:
        act.reply(internal(table.broken(error)))


def _answer(table: "Table", act: Act) -> None:
    if act.link is None:
        living.called(table, act.seat)
    elif act.link.is_detached:
        # What it had been told may be forgotten by now, and nobody reads the answer.
        act = act._replace(link=None)
    known = table.record.chairs[act.seat].answers.content_of(act.action_id)
    if known is not None:
        _repeat(table, act, known == act.content)
        return
    refused = table.replies.of_refused(act)
    if refused is not None:
        _refuse_again(table, act, refused)
        return
    asked = table.asked
    if asked is None or asked.number != act.decision or asked.seat != act.seat:
        _closed(table, act)
        return
    if asked.due is not None and act.arrived >= asked.due:
        _too_late(table, act, asked)
        return
    try:
        step = play_all(asked.match, act.seat, act.actions)
    except (IllegalAction, PastReveal) as illegal:
        too_many = table.house.illegal_act(table.record.chairs[act.seat].player)
        if too_many is not None:
            act.reply(too_many)
            return
        why = table.house.advice.word(table.house.clock, illegal, act.actions)
        _refuse(table, act, asked, why)
        return
    _apply(table, act, asked, step)


def _apply(table: "Table", act: Act, asked: Asked, step: MatchStep) -> None:
    spent = asked.answered(act.arrived - asked.opened)
    row = Acted(
        decision=asked.number,
        seat=act.seat,
        by=PlayedBy.BOT,
        actions=act.actions,
        action_id=act.action_id,
        content=act.content,
        note=act.note,
        think_ms=spent.think,
        bank_ms=spent.bank,
        network_ms=spent.network,
        turn_ms=spent.turn,
    )
    table.house.metrics.think_seconds(spent.think / 1000)
    if asked.credit_ms:
        table.house.metrics.network_seconds(spent.network / 1000)
    happened = len(step.events)
    passing("answering.judged")
    table.commit(
        [(row, step)],
        partial(_applied, table, act, asked, spent, happened),
        partial(_not_logged, table, act),
    )


def _applied(table: "Table", act: Act, asked: Asked, spent: Spent, happened: int) -> None:
    passing("answering.committed")
    following = table.follow()
    frame = _verdict(table, act, play_pb2.VERDICT_KIND_APPLIED, asked.phase)
    _fill_time(frame.verdict, asked, spent)
    tape, link = table.publisher.tape, act.link
    seen = tape.last - happened if link is None else link.seen
    frame.verdict.events.extend(tape.since(seen, act.seat))
    if link is not None:
        link.seen = tape.last
    if following is not None and following.seat == act.seat:
        _add_next(table, act, frame, following)
    table.replies.note_played(act, frame.verdict)
    act.reply(frame)
    passing("answering.answered")
    _note_frame(act, frame)
    now = table.house.clock.now()
    table.house.metrics.server_seconds(now - act.arrived)
    table.publisher.publish(following, link, now)
    table.finish_if_over()


def _refuse(table: "Table", act: Act, asked: Asked, why: errors_pb2.Refusal) -> None:
    faults = table.record.plan.faults
    left = faults.illegal_retries - table.record.tries
    if faults.forgives_illegal:
        left = faults.illegal_retries + 1
    row = Refused(asked.number, act.seat, why.reason)
    failed = partial(_not_logged, table, act)
    if left > 0:
        table.commit([(row, None)], partial(_refused, table, act, asked, why, left - 1), failed)
        return
    elapsed = act.arrived - asked.opened
    entries = [(row, None), *table.lost(asked, PlayedBy.ILLEGAL_ACTS, elapsed)]
    table.commit(entries, partial(_lost, table, act, asked, why), failed)


def _refused(
    table: "Table", act: Act, asked: Asked, why: errors_pb2.Refusal, retries_left: int
) -> None:
    frame = _verdict(table, act, play_pb2.VERDICT_KIND_ILLEGAL, asked.phase)
    _fill_time(frame.verdict, asked, asked.spent(act.arrived - asked.opened))
    frame.verdict.refusal.CopyFrom(why)
    frame.verdict.retries_left = retries_left
    _add_next(table, act, frame, asked)
    table.replies.note_refused(act, frame.verdict)
    act.reply(frame)
    _note_frame(act, frame)
    table.rearm()


def _lost(table: "Table", act: Act, asked: Asked, why: errors_pb2.Refusal) -> None:
    frame = _verdict(table, act, play_pb2.VERDICT_KIND_ILLEGAL, asked.phase)
    _fill_time(frame.verdict, asked, asked.spent(act.arrived - asked.opened))
    frame.verdict.refusal.CopyFrom(why)
    frame.verdict.played.extend(asked.default_to_wire())
    table.replies.note_refused(act, frame.verdict)
    act.reply(frame)
    table.go_on()


def _too_late(table: "Table", act: Act, asked: Asked) -> None:
    """The act came after zero but before the alarm: the time-out first, then the act again."""

    def passed() -> None:
        table.go_on()
        answer(table, act)

    def failed(failure: StoreFailed) -> None:
        table.hold(failure)
        act.reply(log_unavailable())

    living.timed_out(table, asked, act.arrived, passed, failed)


def _repeat(table: "Table", act: Act, is_same: bool) -> None:
    if is_same:
        frame = _verdict(table, act, play_pb2.VERDICT_KIND_DUPLICATE, "none")
        first = table.replies.of_played(act)
        if first is not None:
            frame.verdict.first.CopyFrom(first)
        _add_open(table, act, frame)
    else:
        frame = _verdict(table, act, play_pb2.VERDICT_KIND_CONFLICT, "none")
        frame.verdict.refusal.CopyFrom(
            errors_pb2.Refusal(
                reason="ACTION_ID_REUSED",
                message=f"action_id {act.action_id} was played with other actions or for another"
                " decision: choose a new one for every answer",
            )
        )
    act.reply(frame)
    _note_frame(act, frame)


def _refuse_again(table: "Table", act: Act, verdict: play_pb2.Verdict) -> None:
    """The same verdict, but with the decision that is open by now."""
    frame = play_pb2.ServerFrame(verdict=verdict)
    frame.verdict.ClearField("next")
    _add_open(table, act, frame)
    act.reply(frame)
    _note_frame(act, frame)


def _closed(table: "Table", act: Act) -> None:
    lost = table.record.chairs[act.seat].lost
    if lost is not None and lost[0] == act.decision:
        frame = _verdict(table, act, play_pb2.VERDICT_KIND_TOO_LATE, "none")
        frame.verdict.played.extend(action_to_wire(action) for action in lost[1])
        reason, message = "DECISION_LOST", "the default was played for it: answer the next decision"
    else:
        frame = _verdict(table, act, play_pb2.VERDICT_KIND_STALE, "none")
        reason, message = _why_stale(table, act)
    frame.verdict.refusal.CopyFrom(errors_pb2.Refusal(reason=reason, message=message))
    act.reply(frame)


def _why_stale(table: "Table", act: Act) -> tuple[str, str]:
    record, asked = table.record, table.asked
    if record.state is MatchState.ENDED:
        return "MATCH_OVER", "the match has ended: nothing more is played in it"
    if record.state is MatchState.WAITING:
        return "MATCH_WAITING", "the match has not begun: wait for a decision"
    if record.chairs[act.seat].stood_in:
        return "SEAT_TAKEN_OVER", _how_to_return(table, act.seat)
    if asked is not None and asked.seat == act.seat:
        return "OTHER_DECISION_OPEN", f"decision {asked.number} is open: answer that one"
    return "NOT_YOUR_TURN", "no decision of this seat is open: wait for one"


def _how_to_return(table: "Table", seat: int) -> str:
    if table.record.plan.faults.gives_back(table.record.chairs[seat].end):
        return "a stand-in plays this seat: connect anew and wait for your next decision"
    return "a stand-in plays this seat to the end: nothing more is asked of you"


def _verdict(
    table: "Table", act: Act, kind: play_pb2.VerdictKind.ValueType, phase: str
) -> play_pb2.ServerFrame:
    table.house.metrics.decided(phase, _WORDS[kind])
    ref = seat_ref(table.match_id, act.seat) if act.link is None else act.link.ref
    frame = verdict_frame(ref, act.decision, act.action_id, kind)
    frame.verdict.strikes = table.record.chairs[act.seat].strikes
    return frame


def _fill_time(verdict: play_pb2.Verdict, asked: Asked, spent: Spent) -> None:
    verdict.think_ms, verdict.network_ms = spent.think, spent.network
    if asked.due is not None:
        verdict.turn_ms, verdict.bank_ms = spent.free, spent.bank


def _add_open(table: "Table", act: Act, frame: play_pb2.ServerFrame) -> None:
    """Whatever is asked of the seat now, so that an act that is sent again leads on."""
    asked = table.asked
    if asked is not None and asked.seat == act.seat:
        _add_next(table, act, frame, asked)


def _add_next(table: "Table", act: Act, frame: play_pb2.ServerFrame, asked: Asked) -> None:
    """The open decision travels in the verdict, which has the events of the act already."""
    now = table.house.clock.now()
    if act.link is not None:
        table.publisher.fill(frame.verdict.next, act.link, asked, now)
        return
    ref, attempt = seat_ref(table.match_id, act.seat), table.record.tries + 1
    fill_decision(frame.verdict.next, ref, asked, (), attempt, now)


def _note_frame(act: Act, frame: play_pb2.ServerFrame) -> None:
    if act.link is not None and frame.verdict.HasField("next"):
        act.link.asked_frame = frame.seq


def _not_logged(table: "Table", act: Act, _failure: StoreFailed) -> None:
    """The disk's time is not the bot's: the clock goes on from where the act arrived."""
    table.excuse(act.arrived)
    act.reply(log_unavailable())
