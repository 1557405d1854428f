"""The checker finds every kind of broken promise that is planted, and nothing where all is well."""

import asyncio
import copy
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from burraco.server.journal import chained
from burraco.server.store import LogRow
from burraco.v1 import cards_pb2, events_pb2, play_pb2
from tests.faults.chaos import Place, Plan, play_through
from tests.faults.history import violations
from tests.faults.player import APPLIED, Journal


@dataclass
class Told:
    """A match that was played without a fault: its logs, and what its bots wrote down."""

    logs: dict[str, list[LogRow]]
    journals: list[Journal]

    def found(self) -> list[str]:
        return list(violations(self.logs, self.journals))


@pytest.fixture(scope="module")
def clean(tmp_path_factory: pytest.TempPathFactory) -> Told:
    folder = tmp_path_factory.mktemp("clean")
    plan = Plan(matches=1, deals=1, seconds=60)
    logs, journals, _ = asyncio.run(play_through(Place(folder), plan))
    return Told(logs, journals)


def test_a_match_without_faults_is_clean(clean: Told) -> None:
    assert clean.found() == []
    assert all(journal.acts for journal in clean.journals)


def _last_act_is_lost(told: Told) -> None:
    log = told.logs["m0"]
    at = max(at for at, row in enumerate(log) if row.kind == "acted")
    del log[at:]


def _rewritten(told: Told, old: str, new: str) -> None:
    """A log with one text changed, its hashes made again so that nothing but the content tells."""
    chain, rows = b"", []
    for row in told.logs["m0"]:
        payload = row.payload.replace(old, new)
        chain = chained(chain, payload)
        rows.append(row._replace(payload=payload, chain=chain))
    assert rows != told.logs["m0"]
    told.logs["m0"] = rows


def _an_id_is_another(told: Told) -> None:
    action_id = next(iter(told.journals[0].acts))
    _rewritten(told, f'"{action_id}"', '"nobody-1"')


def _an_act_is_twice_in_the_log(told: Told) -> None:
    first, second = list(told.journals[0].acts)[:2]
    _rewritten(told, f'"{second}"', f'"{first}"')


def _an_act_was_applied_twice(told: Told) -> None:
    journal = told.journals[0]
    journal.verdicts[next(iter(journal.acts))].append(APPLIED)


def _an_act_was_another(told: Told) -> None:
    journal = told.journals[0]
    first, second = list(journal.acts)[:2]
    journal.acts[first].actions[0].CopyFrom(journal.acts[second].actions[0])
    journal.acts[first].decision_id += 1


def _acts_changed_places(told: Told) -> None:
    journal = told.journals[0]
    first, second = (journal.acts[name] for name in list(journal.acts)[:2])
    first.decision_id, second.decision_id = second.decision_id, first.decision_id


def _an_act_was_refused_and_played(told: Told) -> None:
    journal = told.journals[0]
    journal.verdicts[next(iter(journal.acts))] = [play_pb2.VERDICT_KIND_STALE]


def _a_verdict_on_nothing(told: Told) -> None:
    told.journals[0].verdicts["never-sent"] = [APPLIED]


def _event(told: Told) -> tuple[dict[int, bytes], int]:
    events = next(iter(told.journals[0].events.values()))
    return events, max(events) // 2


def _an_event_was_another(told: Told) -> None:
    events, at = _event(told)
    changed = events_pb2.Event.FromString(events[at])
    changed.own.cards.append(cards_pb2.CARD_AS)
    events[at] = changed.SerializeToString(deterministic=True)


def _an_event_never_was(told: Told) -> None:
    events, at = _event(told)
    events[max(events) + 1] = events[at]


def _events_changed_places(told: Told) -> None:
    events, at = _event(told)
    events[at], events[at + 1] = events[at + 1], events[at]


def _somebody_elses_card_was_told(told: Told) -> None:
    told.journals[0].events, told.journals[1].events = (
        {("m0", 0): next(iter(told.journals[1].events.values()))},
        {("m0", 1): next(iter(told.journals[0].events.values()))},
    )


@pytest.mark.parametrize(
    "plant",
    [
        pytest.param(plant, id=plant.__name__.strip("_"))
        for plant in (
            _last_act_is_lost,
            _an_id_is_another,
            _an_act_is_twice_in_the_log,
            _an_act_was_applied_twice,
            _an_act_was_another,
            _acts_changed_places,
            _an_act_was_refused_and_played,
            _a_verdict_on_nothing,
            _an_event_was_another,
            _an_event_never_was,
            _events_changed_places,
            _somebody_elses_card_was_told,
        )
    ],
)
def test_a_planted_violation_is_found(clean: Told, plant: Callable[[Told], None]) -> None:
    told = copy.deepcopy(clean)
    plant(told)
    assert told.found()


def test_a_bot_writes_down_gaps_and_what_is_told_in_two_ways(clean: Told) -> None:
    told = copy.deepcopy(clean)
    told.journals[0].faults.append("frame 7 after 5: a gap")
    assert told.found() == ["journal0: frame 7 after 5: a gap"]
