"""What scenes of two and three players share: tags of notation, and cards by the handful."""

from typing import Final

from burraco.engine import PRESETS, End, EndedBy, Ruleset, Seed, preset

ALL: Final = tuple(PRESETS)
N, E, S = range(3)
SEED: Final = Seed(bytes(range(80)), b"")
CLOSED: Final = End(EndedBy.CLOSED, 0)
TWO: Final = 'Rules "classic players=2"'
THREE: Final = 'Rules "classic players=3"'
EIGHTEEN: Final = "As2sAs2s3s4s5s6s7s8s9sTsJsQs3d4d5d6d"
ELEVEN: Final = "7d8d9dTdJdQd3d4d5d6d8d"
# Fourteen cards for turns in which nobody does anything.
STOCK: Final = 'Stock "KcKcKhKhKdKdJcJcThThTcTcQcQc"'
MELDS: Final = 'Melds "N: 7h7d7c, 3d4d5d E: 8h8d8c S: 9h9d9c, 3c4c5c"'


def rules_for(name: str, players: int) -> Ruleset:
    """The preset, seated."""
    return preset(name).with_knobs(players=players)
