"""A bot that remembers what it is told, and how it is run in tests."""

from burraco.sdk import (
    DRAW_STOCK,
    TAKE_PILE,
    Action,
    Add,
    Bot,
    MatchResult,
    PlayOptions,
    PlayPlan,
    Table,
    View,
    play_bot,
)
from burraco.v1 import play_pb2
from burraco.wire import action_from_wire
from tests.sdk.fake_server import TOKEN, Field, a_match, after

MATCH = a_match()
DRAWN = after(MATCH, DRAW_STOCK)


class Drawer(Bot):
    """Draws and discards the first card it may; remembers what it was told."""

    made: list["Drawer"]

    def __init__(self) -> None:
        type(self).made.append(self)
        self.tables: list[Table] = []
        self.starts = 0
        self.results: list[MatchResult] = []

    def start(self, table: Table) -> None:
        self.starts += 1

    def decide(self, view: View) -> Action:
        self.tables.append(self.table)
        return next(a for a in view.legal if a != TAKE_PILE and not isinstance(a, Add))

    def end(self, result: MatchResult) -> None:
        self.results.append(result)


def a_drawer() -> type[Drawer]:
    """A class of its own, so that tests do not share what it made."""
    return type("Fresh", (Drawer,), {"made": []})


async def run(
    bot: type[Bot], address: str, options: PlayOptions | None = None, **plan: Field
) -> dict[str, MatchResult]:
    options = options or PlayOptions()
    return await play_bot(bot, address, TOKEN, PlayPlan(options, **{"matches": 1, **plan}))


def actions_of(act: play_pb2.Act) -> list[Action]:
    return [action_from_wire(action) for action in act.actions]
