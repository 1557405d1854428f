"""The rules of record as passages that are asked for by rule number, reason or knob.

Nothing is read here: the text comes from whoever asks, and ``burraco.wire`` ships a copy of it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Final

from burraco.engine.bgn_tags import write_knob
from burraco.engine.errors import HINTS, Reason, Unreadable
from burraco.engine.rulebook_index import MEANING_OF_KNOB, RULES_OF_KNOB, RULES_OF_REASON, WORKED_IN
from burraco.engine.rules import PRESETS

# Rules, decisions, and what is decided on two and three players; in this order.
_KINDS: Final = "REH"
_RANGE: Final = re.compile(rf"\b([{_KINDS}])(\d+)(?:–[{_KINDS}]?(\d+))?\b")
_NUMBER: Final = re.compile(rf"[{_KINDS}]\d{{1,4}}", re.IGNORECASE | re.ASCII)
_BOLD_LEAD: Final = re.compile(r"(?:- )?\*\*(.+?)\*\*", re.DOTALL)
_PRINT_MARKS: Final = re.compile(r"\*\*|`|(?<!\*)\*(?=[^*\n]+\*)|(?<=[^*\s])\*(?!\*)")
_OWN_NUMBERS: Final = re.compile(rf"(?:[{_KINDS}]\d+(?:–[{_KINDS}]?\d+)?(?:, )?)+ ")
_NEIGHBOURS: Final = 4
_PAIR: Final = 2
_LONGEST_WORD: Final = 40


@dataclass(frozen=True, slots=True)
class Passage:
    """One rule or decision as it is written, without the marks of its page.

    ``names`` are the numbers it defines, in order (``R18`` to ``R25``); where it has none, the
    words in bold with which it begins, if it does. ``mentions`` are other numbers in it.
    """

    names: tuple[str, ...]
    heading: str
    text: str
    mentions: tuple[str, ...]

    @property
    def label(self) -> str:
        """Its name, or its numbers: ``E5, E6``, or ``R18–R25`` where they are more than two."""
        if len(self.names) > _PAIR:
            return f"{self.names[0]}–{self.names[-1]}"
        return ", ".join(self.names)


@dataclass(frozen=True, slots=True)
class KnobValues:
    """A knob and its value in every preset, as notation writes it; empty for no rank."""

    knob: str
    by_preset: dict[str, str]

    @property
    def differs(self) -> bool:
        """Whether the presets do not agree."""
        return len(set(self.by_preset.values())) > 1


@dataclass(frozen=True, slots=True)
class Explanation:
    """What the rules say on a subject: ``E34``, ``DEAD_END`` or ``close_needs``.

    ``summary`` is a sentence on a reason or a knob and empty for a number. Of ``passages`` the
    rules come first, then the decisions that work them out. ``knobs`` are those it hangs on.
    """

    subject: str
    summary: str
    passages: tuple[Passage, ...]
    knobs: tuple[KnobValues, ...]


class Rulebook:
    """The rules of record, from the text of their pages."""

    def __init__(self, pages: Iterable[str]) -> None:
        self._passages = tuple(passage for page in pages for passage in _passages(page))
        found = {name for passage in self._passages for name in (*passage.names, *passage.mentions)}
        self.numbers: tuple[str, ...] = tuple(
            sorted((name for name in found if _NUMBER.fullmatch(name)), key=_in_order)
        )

    def explain(self, subject: str) -> Explanation:
        """What is written on a rule number, a reason or a knob; any other word is unreadable."""
        word = subject.strip()
        if _NUMBER.fullmatch(word):
            return self._explain_number(f"{word[0].upper()}{int(word[1:])}")
        reason, knob = word.upper(), word.lower()
        if reason in RULES_OF_REASON:
            passages = self._on_each(RULES_OF_REASON[Reason(reason)])
            return Explanation(reason, HINTS[Reason(reason)], passages, ())
        if knob in RULES_OF_KNOB:
            passages = self._on_each(RULES_OF_KNOB[knob])
            return Explanation(knob, MEANING_OF_KNOB[knob], passages, (_values(knob),))
        raise Unreadable(_unknown(word))

    def _explain_number(self, number: str) -> Explanation:
        if number not in self.numbers:
            raise Unreadable(f"no rule {number}; near it: {', '.join(self._around(number))}")
        passages = self._on(number)
        worked = _decisions_on(passages) if number.startswith("R") else []
        knobs = [_values(knob) for knob, names in RULES_OF_KNOB.items() if number in names]
        every = tuple(dict.fromkeys((*passages, *self._on_each(worked))))
        return Explanation(number, "", every, tuple(values for values in knobs if values.differs))

    def _on_each(self, names: Iterable[str]) -> tuple[Passage, ...]:
        return tuple(dict.fromkeys(passage for name in names for passage in self._on(name)))

    def _on(self, name: str) -> tuple[Passage, ...]:
        """The passages of a name; where there are none, those that mention the number."""
        defining = tuple(passage for passage in self._passages if name in passage.names)
        return defining or tuple(passage for passage in self._passages if name in passage.mentions)

    def _around(self, number: str) -> list[str]:
        """The numbers closest to one that does not exist, in order."""
        same = [other for other in self.numbers if other[0] == number[0]]
        closest = sorted(same, key=lambda other: abs(int(other[1:]) - int(number[1:])))
        return sorted(closest[:_NEIGHBOURS], key=_in_order)


def _decisions_on(rules: Iterable[Passage]) -> list[str]:
    """The decisions that work rules out: those the index names, then those the text does."""
    found: dict[str, None] = {}
    for rule in rules:
        for number in rule.names:
            found |= dict.fromkeys(WORKED_IN.get(number, ()))
        found |= dict.fromkeys(number for number in rule.mentions if number.startswith("E"))
    return sorted(found, key=_in_order)


def _values(knob: str) -> KnobValues:
    values = {name: write_knob(getattr(rules, knob)) for name, rules in PRESETS.items()}
    return KnobValues(knob, values)


def _unknown(word: str) -> str:
    word = word[:_LONGEST_WORD]
    near = get_close_matches(word.upper(), list(RULES_OF_REASON))
    near += get_close_matches(word.lower(), list(RULES_OF_KNOB))
    shown = f"{word!r} is no rule number such as E34, no reason and no knob"
    return f"{shown}; near it: {', '.join(near)}" if near else shown


def _in_order(number: str) -> tuple[int, int]:
    """Rules before decisions."""
    return _KINDS.index(number[0]), int(number[1:])


def _passages(page: str) -> Iterator[Passage]:
    """The passages of a page; a bullet that begins with no bold words belongs to what precedes."""
    heading, held = "", list[str]()
    for part in _parts(page):
        if held and part.startswith("- ") and not _BOLD_LEAD.match(part):
            held.append(part)
            continue
        if held:
            yield _passage(heading, held)
        is_heading = part.startswith("#")
        heading = part.lstrip("# ") if is_heading else heading
        held = [] if is_heading else [part]
    if held:
        yield _passage(heading, held)


def _parts(page: str) -> Iterator[str]:
    """Headings, bullets with the lines below them, and paragraphs; tables are left out."""
    lines: list[str] = []
    for line in (*page.splitlines(), ""):
        if lines and (not line.strip() or line.startswith(("#", "- ", "|"))):
            yield "\n".join(lines)
            lines = []
        if line.strip() and not line.startswith("|"):
            lines.append(line)


def _passage(heading: str, parts: list[str]) -> Passage:
    text = "\n".join(parts)
    bold = _BOLD_LEAD.match(text)
    names: tuple[str, ...] = ()
    if bold is not None:
        names = tuple(_numbers_in(bold[1])) or (_plain(bold[1]),)
    mentions = tuple(dict.fromkeys(name for name in _numbers_in(text) if name not in names))
    plain = _plain(text.removeprefix("- "))
    lead = _OWN_NUMBERS.match(plain)
    return Passage(names, heading, plain[lead.end() if lead else 0 :], mentions)


def _numbers_in(text: str) -> Iterator[str]:
    for kind, first, last in _RANGE.findall(text):
        yield from (f"{kind}{number}" for number in range(int(first), int(last or first) + 1))


def _plain(text: str) -> str:
    return _PRINT_MARKS.sub("", text)
