"""Answers that are worked out when first asked, and kept."""

from collections.abc import Callable
from typing import Final, TypeVar

Question = TypeVar("Question")
Answer = TypeVar("Answer")

_LIMIT: Final = 1 << 16


class Table(dict[Question, Answer]):
    """Answers by question; one that has grown large is begun afresh.

    >>> squares = Table(lambda number: number * number)
    >>> squares[3]
    9
    """

    def __init__(self, answer: Callable[[Question], Answer]) -> None:
        super().__init__()
        self._answer = answer

    def __missing__(self, question: Question) -> Answer:
        if len(self) >= _LIMIT:
            self.clear()
        answer = self[question] = self._answer(question)
        return answer
