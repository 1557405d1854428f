"""The kinds of rules that a field of a request may be held to."""

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Protocol

from burraco.server.errors import invalid

_PRINTABLE_ASCII: Final = re.compile(r"[ -~]*")
_KEY_SHOWN: Final = 40


class Rule(Protocol):
    """What a field may hold; ``words`` say it, ``is_needed`` that it may not be left out."""

    @property
    def words(self) -> str:
        """What fits, for people."""

    @property
    def is_needed(self) -> bool:
        """Whether a message without it is refused."""

    def check(self, value: Any, field: Any, path: str) -> None:  # noqa: ANN401 - of any type
        """Raise the refusal of a value that does not fit."""


@dataclass(frozen=True, slots=True)
class Text:
    """Printable text of at most so many characters; ``pattern`` is what all of it has to be."""

    most: int
    words: str
    pattern: re.Pattern[str] | None = None
    is_needed: bool = False
    has_lines: bool = False

    def check(self, value: Any, field: Any, path: str) -> None:  # noqa: ANN401 - a str
        """Refuse long texts, control characters, and what the pattern does not know."""
        shown = value.translate(_LINE_ENDS) if self.has_lines else value
        fits = len(value) <= self.most and shown.isprintable()
        if not fits or (self.pattern is not None and not self.pattern.fullmatch(value)):
            raise invalid(path, self.words)


_LINE_ENDS: Final = str.maketrans("\n\r\t", "   ")


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a range; where 0 is none of it, it may not be left out either."""

    most: int
    fewest: int = 0

    @property
    def words(self) -> str:
        """The range."""
        return f"a number from {self.fewest} to {self.most}"

    @property
    def is_needed(self) -> bool:
        """Left out is 0."""
        return self.fewest > 0

    def check(self, value: Any, field: Any, path: str) -> None:  # noqa: ANN401 - an int
        """Refuse what is out of range."""
        if not self.fewest <= value <= self.most:
            raise invalid(path, f"{self.words}, not {value}")


@dataclass(frozen=True, slots=True)
class Real:
    """A number that need not be whole, in a range."""

    least: float
    most: float
    is_needed: bool = True

    @property
    def words(self) -> str:
        """The range."""
        return f"a number from {self.least:g} to {self.most:g}"

    def check(self, value: Any, field: Any, path: str) -> None:  # noqa: ANN401 - a float
        """Refuse what is out of range, and what is no number."""
        if not self.least <= value <= self.most:
            raise invalid(path, f"{self.words}, not {value:g}")


@dataclass(frozen=True, slots=True)
class Octets:
    """Bytes, at most so many or exactly so many; none where it is left out."""

    most: int
    is_exact: bool = False
    is_needed: bool = False

    @property
    def words(self) -> str:
        """How many."""
        return f"{self.most} bytes or none" if self.is_exact else f"at most {self.most} bytes"

    def check(self, value: Any, field: Any, path: str) -> None:  # noqa: ANN401 - bytes
        """Refuse other lengths."""
        if len(value) > self.most or (self.is_exact and value and len(value) != self.most):
            raise invalid(path, f"{self.words}, not {len(value)}")


@dataclass(frozen=True, slots=True)
class Choice:
    """A value of an enum that this server knows; never the one that means nothing."""

    is_needed: bool = False
    words: str = "one of its values, and not the unspecified one"

    def check(self, value: Any, field: Any, path: str) -> None:  # noqa: ANN401 - an int
        """Refuse zero and unknown numbers."""
        if value not in _numbers_of(field.enum_type):
            raise invalid(path, f"{value} is no {field.enum_type.name}")


@dataclass(frozen=True, slots=True)
class Many:
    """A list, each of its entries by one rule."""

    each: Rule
    most: int
    is_needed: bool = False

    @property
    def words(self) -> str:
        """How long."""
        return f"1 to {self.most} entries" if self.is_needed else f"at most {self.most} entries"

    def check(self, value: Any, field: Any, path: str) -> None:  # noqa: ANN401 - a container
        """Refuse long lists before anything of them is looked at."""
        if len(value) > self.most:
            raise invalid(path, f"{self.words}, not {len(value)}")
        for at, entry in enumerate(value):
            self.each.check(entry, field, f"{path}[{at}]")


@dataclass(frozen=True, slots=True)
class Pairs:
    """A map, its keys and its values by one rule each."""

    key: Rule
    each: Rule
    most: int
    is_needed: bool = False

    @property
    def words(self) -> str:
        """How many."""
        return f"at most {self.most} entries"

    def check(self, value: Any, field: Any, path: str) -> None:  # noqa: ANN401 - a container
        """Refuse large maps before anything of them is looked at."""
        if len(value) > self.most:
            raise invalid(path, f"{self.words}, not {len(value)}")
        kinds = field.message_type.fields_by_name
        for key in sorted(value):
            self.key.check(key, kinds["key"], path)
            self.each.check(value[key], kinds["value"], f"{path}[{key[:_KEY_SHOWN]}]")


@dataclass(frozen=True, slots=True)
class Anything:
    """Whatever its type allows; ``words`` say why."""

    words: str
    is_needed: bool = False

    def check(self, value: Any, field: Any, path: str) -> None:  # noqa: ANN401 - of any type
        """Let it pass."""


def printable(most: int, *, is_needed: bool = False) -> Text:
    """Text of any letters, in one line."""
    span = f"1 to {most}" if is_needed else f"at most {most}"
    return Text(most, f"{span} printable characters", is_needed=is_needed)


def printable_ascii(most: int, *, is_needed: bool = False) -> Text:
    """Text that every log and every terminal can show."""
    span = f"1 to {most}" if is_needed else f"at most {most}"
    words = f"{span} printable ASCII characters"
    return Text(most, words, _PRINTABLE_ASCII, is_needed=is_needed)


@cache
def _numbers_of(enum: Any) -> frozenset[int]:  # noqa: ANN401 - a descriptor
    return frozenset(number for number in enum.values_by_number if number)
