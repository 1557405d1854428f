"""The tables of tests/cases as values."""

import csv
from pathlib import Path
from typing import Final, NamedTuple

CASES: Final = Path(__file__).parents[1] / "cases"


class Row(NamedTuple):
    """A line of a table: cards that lie there (for additions), cards played, what comes out."""

    preset: str
    meld: str
    added: str
    expected: str
    rule: str

    @property
    def id(self) -> str:
        """The rule first, then what it is about."""
        played = f"{self.meld} + {self.added}" if self.added else self.meld
        return f"{self.rule}-{self.preset}-{played}"


def _rows(table: str) -> tuple[Row, ...]:
    with (CASES / table).open(newline="") as lines:
        return tuple(
            Row(
                row["preset"],
                row.get("meld") or row["cards"],
                row.get("added") or "",
                row["expected"],
                row["rule"],
            )
            for row in csv.DictReader(lines, delimiter="\t")
        )


MELDS: Final = _rows("melds.tsv")
ADDITIONS: Final = _rows("additions.tsv")
