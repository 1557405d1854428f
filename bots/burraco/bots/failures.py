"""How commands fail: in one line, also where several tasks do at once."""

import sys
from collections.abc import Iterator


def leaves(problem: BaseException) -> Iterator[BaseException]:
    """The exceptions themselves, out of whatever groups they came in."""
    if not isinstance(problem, BaseExceptionGroup):
        yield problem
        return
    for inner in problem.exceptions:
        yield from leaves(inner)


def complain(command: str, problem: str, status: int) -> int:
    """Say what went wrong with a command, and give its exit status back."""
    print(f"burraco {command}: {problem}", file=sys.stderr)
    return status
