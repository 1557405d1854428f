"""Scenes full of melds: few suits, neighbouring ranks and many wilds, all from a number."""

from random import Random

from burraco.engine import Card, DealState, Phase, Ruleset
from burraco.engine.cards import PACK
from tests.reference.adapter import knobs_of
from tests.reference.cards import Cards, in_order
from tests.reference.melds import meld_of
from tests.support.brute import parts
from tests.support.scenes import scene


def dense_scene(rules: Ruleset, number: int, most_cards: int) -> DealState:
    """North to act with at most so many cards, up to three melds, and every turn fact by chance."""
    chance = Random(number)
    pool = _near_cards(chance)
    melds = _some_melds(rules, chance, pool)
    hand = [str(pool.pop()) for _ in range(min(len(pool), chance.randint(1, most_cards)))]
    pile = [str(pool.pop()) for _ in range(min(len(pool), chance.randint(1, 2)))]
    phase = chance.choice([Phase.DRAW, Phase.PLAY, Phase.PLAY])
    may_bar = phase is Phase.PLAY and rules.rediscard_single != "allow"
    return scene(
        rules=rules,
        phase=phase,
        north=" ".join(hand),
        ns=", ".join(map(" ".join, melds)),
        pile=" ".join(pile),
        taken="NS" if chance.random() < 0.6 else "",
        barred=chance.choice(hand) if may_bar and chance.random() < 0.4 else "",
        must_meld=phase is Phase.PLAY and rules.pile_requires_meld and chance.random() < 0.5,
    )


def _near_cards(chance: Random) -> list[Card]:
    suits = chance.sample(range(4), chance.randint(1, 2))
    low = chance.randrange(13)
    ranks = {(low + step) % 13 for step in range(chance.randint(3, 8))}
    near = [card for card in PACK if card.rank in ranks and (card.suit in suits or len(ranks) < 5)]
    twos_and_jokers = [card for card in PACK if card.is_wild and card not in near]
    pool = near + chance.sample(twos_and_jokers, min(len(twos_and_jokers), 5))
    chance.shuffle(pool)
    return pool


def _some_melds(rules: Ruleset, chance: Random, pool: list[Card]) -> list[Cards]:
    """Up to three melds taken out of the pool, each from nine of its cards."""
    melds: list[Cards] = []
    knobs = knobs_of(rules)
    for _ in range(chance.randrange(4)):
        near = in_order(map(str, pool[:9]))
        made = [part for part in parts(near) if meld_of(knobs, part) is not None]
        if made:
            melds.append(chance.choice(made))
            for name in melds[-1]:
                pool.remove(Card.parse(name))
    return melds
