"""How many legal sequences of moves there are, to a depth: ``python -m tests.reference.counts``.

The scenes and the numbers stand in tests/golden/counts.json. The numbers are the reference's; the
command writes them again after a scene was changed.
"""

import json
from pathlib import Path
from typing import NamedTuple

from burraco.engine import DealState, advance, legal
from burraco.engine.bgn import parse
from burraco.engine.bgn_scene import read_scene
from tests.reference.adapter import knobs_of, table_of
from tests.reference.moves import legal_moves
from tests.reference.play import play
from tests.reference.table import Table

FILE = Path(__file__).parents[1] / "golden" / "counts.json"
DEPTH = 3


class Counted(NamedTuple):
    """A scene, and how many legal sequences of one move, two moves … begin in it."""

    name: str
    scene: tuple[str, ...]
    numbers: tuple[int, ...]

    @property
    def state(self) -> DealState:
        """The scene as the engine reads it."""
        (block,) = parse("\n".join(self.scene) + "\n\n")
        return read_scene(block)

    @property
    def table(self) -> Table:
        """The scene for the reference."""
        state = self.state
        return table_of(state, knobs_of(state.rules))


def stored() -> list[Counted]:
    """What the file holds."""
    rows = json.loads(FILE.read_text())
    return [Counted(row["name"], tuple(row["scene"]), tuple(row["numbers"])) for row in rows]


def count_in_reference(table: Table, depth: int) -> int:
    """Legal sequences of so many moves; a deal that ends before has none."""
    moves = legal_moves(table)
    if depth == 1:
        return len(moves)
    return sum(count_in_reference(play(table, move)[0], depth - 1) for move in moves)


def count_in_engine(state: DealState, depth: int) -> int:
    """The same, as the engine has it."""
    actions = legal(state)
    if depth == 1:
        return len(actions)
    return sum(count_in_engine(advance(state, action), depth - 1) for action in actions)


def counted_again(row: Counted) -> Counted:
    """The row with the reference's numbers."""
    depths = range(1, DEPTH + 1)
    return row._replace(numbers=tuple(count_in_reference(row.table, depth) for depth in depths))


def main() -> None:
    """Count every scene again, and write the file."""
    rows = [counted_again(row)._asdict() for row in stored()]
    FILE.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
