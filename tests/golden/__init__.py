"""Golden files: what the project has dealt once, so that it never deals differently by accident.

They are regression goldens, written by the code that they guard; that the shuffle is the right one
is proved elsewhere, by recomputing it from its description. ``python -m tests.golden`` writes them.
"""

import hashlib
from pathlib import Path
from typing import Final

from burraco.engine import Seed, show_cards, shuffled
from burraco.engine.rules import BEHAVIOUR_EPOCH, CLASSIC

DEALS: Final = Path(__file__).parent / "deals.json"
_SEEDS: Final = 5
_DEALS: Final = 10

# What a golden file holds: names and words, and the deals of each seed in order.
Golden = dict[str, str | int | dict[str, list[str]]]


def golden_deals() -> Golden:
    """The first deals of some seeds: digest of the shuffled pack, then the cut."""
    return {
        "about": "regression goldens of burraco-deal-v1; python -m tests.golden writes them",
        "rules": CLASSIC.name,
        "epoch": BEHAVIOUR_EPOCH,
        "deals": {secret.hex(): _deals(secret) for secret in map(_secret, range(_SEEDS))},
    }


def _secret(number: int) -> bytes:
    return hashlib.shake_256(b"burraco golden deal" + bytes([number])).digest(80)


def _deals(secret: bytes) -> list[str]:
    return [_line(Seed(secret, b""), deal) for deal in range(1, _DEALS + 1)]


def _line(seed: Seed, deal: int) -> str:
    pack, cut = shuffled(seed, deal)
    return f"{hashlib.sha256(show_cards(pack).encode()).hexdigest()} {cut}"
