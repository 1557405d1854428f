"""The bots of an arena: what the command line named, checked before anything starts."""

import re
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from burraco.bots.registry import HOUSE_BOTS
from burraco.sdk.loader import installed_bots

_FILE: Final = re.compile(r"(?P<path>.+\.py)(?::(?P<choice>\w+))?")
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9_.-]")
_LONGEST_NAME: Final = 32
_IMPORT_SECONDS: Final = 30
_TRY_TO_LOAD: Final = """
import sys
from burraco.sdk.loader import BotNotFound, load_bot
try:
    load_bot(sys.argv[1])
except BotNotFound as problem:
    sys.exit(str(problem))
"""


class UnusableBot(Exception):
    """A bot that was named cannot enter; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A bot of the arena; ``spec`` is what ``burraco bot run`` is given."""

    name: str
    spec: str

    @property
    def player(self) -> str:
        """The name on the server, with only the characters that it allows."""
        return self.name.replace("#", "+")


def enter(specs: Sequence[str]) -> tuple[Entry, ...]:
    """Entries in the given order; a bot named twice is told apart as ``greedy#2``.

    Raises ``UnusableBot`` when one cannot be had. A file is tried in a process of its own, since
    importing it runs its author's code.
    """
    for spec in dict.fromkeys(specs):
        _check(spec)
    seen: Counter[str] = Counter()
    entries: list[Entry] = []
    for spec in specs:
        name = _name(spec)
        seen[name] += 1
        again = f"#{seen[name]}" if seen[name] > 1 else ""
        entries.append(Entry(name + again, spec))
    return tuple(entries)


def _name(spec: str) -> str:
    file = _FILE.fullmatch(spec)
    if file is None:
        return spec
    name = Path(file["path"]).stem + (f".{file['choice']}" if file["choice"] else "")
    return _NOT_IN_NAMES.sub("_", name)[:_LONGEST_NAME]


def _check(spec: str) -> None:
    file = _FILE.fullmatch(spec)
    if file is not None:
        _check_file(spec, Path(file["path"]))
    elif spec not in HOUSE_BOTS and spec not in installed_bots():
        known = ", ".join(dict.fromkeys((*HOUSE_BOTS, *installed_bots())))
        raise UnusableBot(
            f"no bot {spec!r}: name one of {known}, or a file as in my_bot.py or my_bot.py:Class"
        )


def _check_file(spec: str, path: Path) -> None:
    if not path.is_file():
        raise UnusableBot(f"no file {path}: check the path of the bot")
    try:
        tried = subprocess.run(
            [sys.executable, "-c", _TRY_TO_LOAD, spec],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=_IMPORT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise UnusableBot(
            f"{path} cannot be imported in {_IMPORT_SECONDS} s: keep long work out of its top level"
        ) from None
    if tried.returncode:
        said = tried.stderr.strip() or f"importing {path} ended with status {tried.returncode}"
        raise UnusableBot(said)
