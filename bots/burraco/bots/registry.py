"""The house bots by name."""

from collections.abc import Mapping
from typing import Final

from burraco.bots.club import ClubBot
from burraco.bots.greedy import GreedyBot
from burraco.bots.misbehaving import CrashingBot, IllegalBot, SleepingBot
from burraco.bots.random_bot import RandomBot
from burraco.sdk import Bot

HOUSE_BOTS: Final[Mapping[str, type[Bot]]] = {
    "random": RandomBot,
    "greedy": GreedyBot,
    "club": ClubBot,
    "illegal": IllegalBot,
    "sleeping": SleepingBot,
    "crashing": CrashingBot,
}


def house_bot(name: str) -> type[Bot]:
    """The bot of that name; a KeyError lists those there are."""
    if name not in HOUSE_BOTS:
        raise KeyError(f"no house bot {name!r}: there are {', '.join(HOUSE_BOTS)}")
    return HOUSE_BOTS[name]
