"""Answers that are worked out when first asked, and kept."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar, final

from burraco.engine.cards import RANK_COUNT

Question = TypeVar("Question")
Answer = TypeVar("Answer")

_LIMIT: Final = 1 << 16


@final
class Table(Generic[Question, Answer]):
    """Answers by question; one that has grown large is begun afresh.

    It has a dictionary and is none, since looking up in a subclass of ``dict`` takes a detour.

    >>> squares = Table(lambda number: number * number)
    >>> squares[3]
    9
    """

    __slots__ = ("_answer", "_known")

    def __init__(self, answer: Callable[[Question], Answer]) -> None:
        self._answer = answer
        self._known: dict[Question, Answer] = {}

    def __getitem__(self, question: Question) -> Answer:
        answer = self._known.get(question)
        if answer is None:
            answer = self._work_out(question)
        return answer

    def _work_out(self, question: Question) -> Answer:
        if len(self._known) >= _LIMIT:
            self._known.clear()
        answer = self._known[question] = self._answer(question)
        return answer


@final
class Shelf(Generic[Answer]):
    """Answers by small numbers: a list, which is quicker than a dictionary and never cleared."""

    __slots__ = ("_answer", "_known")

    def __init__(self, places: int, answer: Callable[[int], Answer]) -> None:
        self._answer = answer
        self._known: list[Answer | None] = [None] * places

    def __getitem__(self, place: int) -> Answer:
        answer = self._known[place]
        if answer is None:
            answer = self._known[place] = self._answer(place)
        return answer


@final
class Rows:
    """The rank masks of one table of sequences: in its order, and by number."""

    __slots__ = ("_has", "_masks")

    def __init__(self, masks: list[int]) -> None:
        self._masks = masks
        self._has = [False] * (1 << RANK_COUNT)
        for ranks in masks:
            self._has[ranks] = True

    def within(self, must: int, free: int) -> list[int]:
        """The masks that hold all of ``must`` and else only some of ``free``."""
        barred = ~(must | free)
        return [ranks for ranks in self._masks if ranks & must == must and not ranks & barred]

    def subsets(self, must: int, free: int) -> list[int]:
        """The same for few free ranks, found from the other end."""
        found: list[int] = []
        has, part = self._has, free
        while True:
            if has[must | part]:
                found.append(must | part)
            if not part:
                return found
            part = part - 1 & free
