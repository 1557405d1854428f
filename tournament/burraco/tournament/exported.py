"""The exported log of an event, one row a line: read back, or what is wrong named by its line."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NoReturn

from burraco.tournament.boards import commitment_to
from burraco.tournament.following import first_misfit, misfit
from burraco.tournament.progress import Progress
from burraco.tournament.rows import Opened, Row, UnreadableRow, row_from_json, row_to_json

LOG_NAME: Final = "tournament.jsonl"
_AGAIN: Final = "export the log again"
_KEYS: Final = frozenset({"version", "kind", "payload"})


class UnreadableLog(ValueError):
    """Text that is not the log of an event; ``line`` counts from 1."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(f"line {line}: {problem}")
        self.line = line


@dataclass(frozen=True, slots=True)
class Log:
    """The rows of an event, and the event that they come to."""

    rows: tuple[Row, ...]
    progress: Progress

    @property
    def secret(self) -> bytes | None:
        """What cards and lots were drawn from, None while the event is not over."""
        ending = self.progress.ending
        return None if ending is None else bytes.fromhex(ending.secret)

    @property
    def lots(self) -> bytes:
        """What settles places that nothing else does; until the secret is shown, the commitment."""
        return self.secret or self.progress.opened.commitment.encode()

    @property
    def keeps_commitment(self) -> bool | None:
        """Whether the secret is the one that was committed to; None before it is shown."""
        opened, secret = self.progress.opened, self.secret
        return (
            None
            if secret is None
            else commitment_to(opened.event_id, secret) == (opened.commitment)
        )


def write_log(rows: Iterable[Row]) -> str:
    """The text of a log; equal rows give equal bytes."""
    return "".join(_line(version, row) for version, row in enumerate(rows, start=1))


def read_log(text: str) -> Log:
    """The log that ``write_log`` wrote, or ``UnreadableLog`` for the first line that is wrong."""
    if not text.strip():
        raise UnreadableLog(1, f"the file is empty; {_AGAIN}")
    numbered = _rows(text)
    line, first = next(numbered)
    _require(line, first_misfit(first))
    assert isinstance(first, Opened), "anything else is a misfit"
    progress = Progress(first)
    rows: list[Row] = [first]
    for line, row in numbered:
        _require(line, misfit(progress, row))
        progress.apply(row)
        rows.append(row)
    return _with_secret(Log(tuple(rows), progress))


def _line(version: int, row: Row) -> str:
    kind, payload = row_to_json(row)
    told = {"version": version, "kind": kind, "payload": json.loads(payload)}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")) + "\n"


def _rows(text: str) -> Iterator[tuple[int, Row]]:
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        version, kind, payload = _parts(number, line)
        if version != number:
            problem = f"version {version} where {number} was due: rows are missing or out of order"
            raise UnreadableLog(number, f"{problem}; {_AGAIN}")
        try:
            yield number, row_from_json(kind, payload)
        except UnreadableRow as fault:
            problem = f"{fault}; {_AGAIN}, or read it with the release that wrote it"
            raise UnreadableLog(number, problem) from None


def _parts(number: int, line: str) -> tuple[int, str, str]:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        problem = "this is no whole JSON object, as if the file were cut off"
        raise UnreadableLog(number, f"{problem}; {_AGAIN}") from None
    if not isinstance(told, dict) or told.keys() != _KEYS:
        _refuse_shape(number)
    version, kind, payload = told["version"], told["kind"], told["payload"]
    if type(version) is not int or not isinstance(kind, str) or not isinstance(payload, dict):
        _refuse_shape(number)
    return version, kind, json.dumps(payload)


def _refuse_shape(number: int) -> NoReturn:
    shape = '{"version": 1, "kind": "Opened", "payload": {…}}'
    raise UnreadableLog(number, f"this is no row of a log, which is {shape}; {_AGAIN}")


def _require(line: int, problem: str | None) -> None:
    if problem is not None:
        raise UnreadableLog(line, f"{problem}; {_AGAIN}")


def _with_secret(log: Log) -> Log:
    try:
        _ = log.secret
    except ValueError:
        raise UnreadableLog(len(log.rows), f"the secret is not hexadecimal; {_AGAIN}") from None
    return log
