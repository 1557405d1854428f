"""Blocks of notation: scenes written tag by tag, their verdicts, and deals played at random."""

from dataclasses import dataclass
from random import Random

from burraco.engine import (
    Add,
    DealState,
    LayMeld,
    Ruleset,
    Seed,
    advance,
    lay_out,
    legal,
    open_deal,
    shuffled,
)
from burraco.engine.bgn import DealRecord, Move, judge, parse
from burraco.engine.bgn_scene import read_scene
from burraco.engine.deal import SEED_SIZE, smallest_cut_for
from burraco.engine.rules import ALONE_BEYOND, pozzetto_sizes


def verdict(text: str) -> str:
    """What judging a text of one block prints."""
    (found,) = judge(text)
    return found.shown("deal.bgn")


def scene_of(*tags: str, turns: str = "") -> str:
    """A scene from its tags, such as ``Turn "N play"``, and its turns."""
    return "".join(f"[{tag}]\n" for tag in tags) + f"\n{turns}\n"


def state_of(*tags: str) -> DealState:
    """The state of a scene of these tags."""
    (block,) = parse(scene_of(*tags))
    return read_scene(block)


@dataclass(frozen=True)
class Played:
    """A random deal: its record, and every state on the way."""

    record: DealRecord
    states: tuple[DealState, ...]


def random_deal(rules: Ruleset, number: int) -> Played:
    """Some or all of a deal played at random, with as many melds as the number likes."""
    chance = Random(number)
    sizes = pozzetto_sizes(rules, [number % 2 * (ALONE_BEYOND + 5)])
    seed = Seed(chance.randbytes(SEED_SIZE), b"")
    pack, cut = shuffled(seed, 1, smallest_cut_for(sizes))
    dealer = chance.randrange(rules.players)
    layout = lay_out(pack, cut if rules.physical_cut else 0, dealer, rules.players, sizes)
    states = [open_deal(rules, dealer, layout)]
    moves: list[Move] = []
    fondness, length = chance.random(), chance.choice([20, 80, 1000])
    while states[-1].end is None and len(moves) < length:
        options = legal(states[-1])
        melds = [action for action in options if isinstance(action, LayMeld | Add)]
        likes = melds if melds and chance.random() < fondness else options
        moves.append(Move(states[-1].turn, chance.choice(likes), chance.random() < 0.1))
        states.append(advance(states[-1], moves[-1].action))
    stopped = states[-1].end is None and chance.random() < 0.5
    return Played(DealRecord(rules, dealer, layout, tuple(moves), stopped), tuple(states))
