"""Errors of several tasks at once."""

from collections.abc import Iterator


def leaves(problem: BaseException) -> Iterator[BaseException]:
    """The exceptions themselves, out of whatever groups they came in."""
    if not isinstance(problem, BaseExceptionGroup):
        yield problem
        return
    for inner in problem.exceptions:
        yield from leaves(inner)
