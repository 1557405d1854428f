"""The text of Burraco Game Notation: blocks, tags, turns and tokens, each with its place.

Nothing here knows the game; what tags and tokens mean is ``bgn_scene`` and ``bgn_replay``.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from burraco.engine.errors import Unreadable
from burraco.engine.notation import Token, read_token
from burraco.engine.state import SEAT_NAMES

VERSION: Final = "1"


class BadNotation(Unreadable):
    """Text that is no Burraco Game Notation; ``line`` and ``column`` count from 1."""

    def __init__(self, line: int, column: int, problem: str) -> None:
        super().__init__(f"line {line}, column {column}: {problem}")
        self.line = line
        self.column = column
        self.problem = problem


class Words(NamedTuple):
    """A piece of the text and where it stands."""

    text: str
    line: int
    column: int

    def part(self, start: int, end: int) -> "Words":
        """A piece of this piece."""
        return Words(self.text[start:end], self.line, self.column + start)

    def bad(self, problem: object) -> BadNotation:
        """The error to raise for this piece."""
        return BadNotation(self.line, self.column, str(problem))


class Placed(NamedTuple):
    """A token and how it was written."""

    token: Token
    words: Words


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn: its number, the seat, and what the seat did."""

    number: int
    seat: int
    label: Words
    tokens: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """One deal or scene: tags by name, then turns. ``start`` is where it begins in the text."""

    tags: Mapping[str, Words]
    turns: tuple[Turn, ...]
    start: Words

    def text_of(self, name: str) -> str | None:
        """The value of a tag, None where the block has none of that name."""
        words = self.tags.get(name)
        return None if words is None else words.text


def parse(text: str) -> tuple[Block, ...]:
    """Read every block of a text; the first fault raises ``BadNotation``."""
    found: list[Block] = []
    for block in parse_each(text):
        if isinstance(block, BadNotation):
            raise block
        found.append(block)
    return tuple(found)


def parse_each(text: str) -> Iterator[Block | BadNotation]:
    """Read the blocks of a text one by one; a faulty one gives its fault, and reading goes on."""
    at_all = False
    for piece in _blocks(_lexemes(text)):
        at_all = True
        try:
            yield _read_block(piece)
        except BadNotation as fault:
            yield fault
    if not at_all:
        yield BadNotation(1, 1, 'no block; one begins with [BGN "1"]')


def write_block(tags: Iterable[tuple[str, str]], turns: Iterable[str]) -> str:
    """Write one block: a tag a line, a blank line, a turn a line."""
    header = "".join(f'[{name} "{_escape(name, value)}"]\n' for name, value in tags)
    body = "".join(f"{turn}\n" for turn in turns)
    return f"{header}\n{body}" if body else header


def _escape(name: str, value: str) -> str:
    if not _TAG_NAME.fullmatch(name):
        raise Unreadable(f"no tag {name!r}: a name is letters, digits, - and _")
    if not value.isprintable():
        raise Unreadable(f"tag {name}: {value!r} has characters that do not print")
    return value.replace("\\", "\\\\").replace('"', '\\"')


_TAG_NAME: Final = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_LEXEME: Final = re.compile(
    r"""
      (?P<gap>\s+|;[^\n]*|\{[^{}]*\})
    | (?P<tag>\[\s*(?P<name>[A-Za-z][\w-]*)\s+"(?P<value>(?:[^"\\\n]|\\["\\])*)"\s*\])
    | (?P<label>\d{1,6}[NESW](?![^\s;{]))
    | (?P<token>(?:P[!.]|\^)\([^()\n]*\)|!to|\#|[^\s;{}()\[\]"!\#]+)
    """,
    re.VERBOSE | re.ASCII,
)
# Where reading goes on after a fault: the next block that is surely one.
_NEXT_BLOCK: Final = re.compile(r"\n[ \t\r]*\n\s*(?=\[)|\n[ \t]*(?=\[\s*BGN\b)")
_WHAT_IT_TAKES: Final = {
    "[": 'a tag is written [Name "value"] on one line',
    "{": "the comment that begins here has no }",
    "}": "no comment is open here",
    '"': 'quotes belong to a tag, as in [Name "value"]',
}


class _Tag(NamedTuple):
    name: Words
    value: Words


class _Label(NamedTuple):
    words: Words


class _Other(NamedTuple):
    words: Words


_Lexeme = _Tag | _Label | _Other | BadNotation


def _lexemes(text: str) -> Iterator[_Lexeme]:
    at = 1 if text.startswith("\ufeff") else 0
    line, line_start = 1, at
    while at < len(text):
        found = _LEXEME.match(text, at)
        column = at - line_start + 1
        if found is None:
            letter = text[at]
            yield BadNotation(line, column, _WHAT_IT_TAKES.get(letter, f"unexpected {letter!r}"))
            further = _NEXT_BLOCK.search(text, at)
            end = further.end() if further else len(text)
        else:
            end = found.end()
            if found.lastgroup != "gap":
                yield _lexeme(found, line, column)
        passed = text.count("\n", at, end)
        if passed:
            line += passed
            line_start = text.rindex("\n", at, end) + 1
        at = end


def _lexeme(found: re.Match[str], line: int, column: int) -> _Lexeme:
    start = found.start()
    if found["tag"] is not None:
        name = Words(found["name"], line, column + found.start("name") - start)
        value = re.sub(r"\\(.)", r"\1", found["value"])
        return _Tag(name, Words(value, line, column + found.start("value") - start))
    words = Words(found[0], line, column)
    return _Label(words) if found["label"] is not None else _Other(words)


def _blocks(lexemes: Iterator[_Lexeme]) -> Iterator[list[_Lexeme]]:
    """Group by block: one begins with a tag after turns or faults, or with another BGN tag.

    Where neither tells blocks apart, tags after a free line begin one if they repeat a name.
    """
    piece: list[_Lexeme] = []
    seen: dict[str, int] = {}
    paragraph = 0
    for lexeme in lexemes:
        last = piece[-1] if piece else None
        if isinstance(lexeme, _Tag) and last is not None:
            name = lexeme.name.text
            if not isinstance(last, _Tag) or name == "BGN":
                yield piece
                piece, seen, paragraph = [], {}, 0
            elif lexeme.name.line > last.name.line + 1:
                paragraph = len(piece)
            if seen.get(name, paragraph) < paragraph:
                yield piece[:paragraph]
                piece, paragraph = piece[paragraph:], 0
                seen = {tag.name.text: at for at, tag in enumerate(piece) if isinstance(tag, _Tag)}
        if isinstance(lexeme, _Tag):
            seen.setdefault(lexeme.name.text, len(piece))
        piece.append(lexeme)
    if piece:
        yield piece


def _read_block(piece: list[_Lexeme]) -> Block:
    tags: dict[str, Words] = {}
    turns: list[Turn] = []
    label: Words | None = None
    tokens: list[Placed] = []
    for lexeme in piece:
        match lexeme:
            case BadNotation():
                raise lexeme
            case _Tag(name, value):
                if name.text in tags:
                    raise name.bad(f'tag {name.text} again; a new block begins with [BGN "1"]')
                tags[name.text] = value
            case _Label(words):
                _finish_turn(turns, label, tokens)
                label, tokens = words, []
            case _Other(words):
                if label is None:
                    raise words.bad(f"{words.text!r} before the first turn, such as 1N")
                tokens.append(_read_placed(words))
    _finish_turn(turns, label, tokens)
    return Block(tags, tuple(turns), _start(piece[0]))


def _start(first: _Lexeme) -> Words:
    assert not isinstance(first, BadNotation)
    return first.name if isinstance(first, _Tag) else first.words


def _finish_turn(turns: list[Turn], label: Words | None, tokens: list[Placed]) -> None:
    if label is None:
        return
    if not tokens:
        raise label.bad(f"turn {label.text} has no action")
    number, seat = int(label.text[:-1]), SEAT_NAMES.index(label.text[-1])
    turns.append(Turn(number, seat, label, tuple(tokens)))


def _read_placed(words: Words) -> Placed:
    try:
        return Placed(read_token(words.text), words)
    except Unreadable as fault:
        raise words.bad(fault) from None
