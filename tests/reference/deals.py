"""Random deals, scenes and matches for the comparison; everything follows from a number."""

from collections import Counter
from collections.abc import Callable
from random import Random

from burraco.engine import (
    PRESETS,
    Card,
    Cut,
    IllegalAction,
    Match,
    MatchSetup,
    MatchStep,
    Ruleset,
    Seed,
    Unreadable,
    lay_out,
    open_deal,
    preset,
    shuffled,
    start_match,
)
from burraco.engine import play as play_in_match
from burraco.engine.deal import SEED_SIZE
from burraco.engine.rules import seated
from tests.reference import match as reference
from tests.reference.adapter import action_of, event_of, knobs_of, shown, state_of
from tests.reference.differential import LONGEST, Disagreement, play_out
from tests.reference.knobs import Knobs
from tests.reference.moves import Move, legal_moves
from tests.reference.play import Event, play
from tests.reference.players import choose, seats_taken
from tests.reference.scenes import random_scene
from tests.reference.scoring import totals
from tests.reference.table import Table

# Values to change a single knob to; those that a preset has already change nothing.
_OTHER_VALUES: dict[str, tuple[bool | int | str, ...]] = {
    "physical_cut": (False, True),
    "pile_requires_meld": (False, True),
    "rediscard_single": ("allow", "forbid", "forbid_unless_twin"),
    "set_ranks": ("", "A3", "7", "A3456789TJQK"),
    "second_set_of_rank": (False, True),
    "two_two_joker": (False, True),
    "pozzetto_seen": ("own_next_turn", "partner_discard"),
    "close_needs": ("any", "clean"),
    "stock_end": ("at_once", "after_discard"),
    "stalemate_turns": (0, 1, 3, 8),
    "semiclean_bonus": (0, 150),
    "semiclean_set": ("exactly_8", "at_least_8"),
    "clean_bonus": (100, 300),
    "dirty_bonus": (0, 50),
    "closing_bonus": (0, 200),
    "no_pozzetto_penalty": (0, 50),
    "no_pozzetto_waived_if_none": (False, True),
}
_BY_TURNS = (4, 4, 2, 3)
_EVERY_SO_MANY_A_MATCH = 20
_MOST_DEALS = 10

Translation = Callable[[Ruleset], Knobs]


def rules_for(chance: Random, name: str | None, players: int) -> Ruleset:
    """A preset, the named one if any; half the time with a knob or two at another value."""
    rules = seated(preset(name or chance.choice(list(PRESETS))), players)
    for _ in range(chance.choice([0, 0, 1, 1, 1, 2])):
        knob = chance.choice(list(_OTHER_VALUES))
        rules = _with_knob(rules, knob, chance.choice(_OTHER_VALUES[knob]))
    return rules


def _with_knob(rules: Ruleset, knob: str, value: bool | int | str) -> Ruleset:
    """The rules with a knob changed, or as they are where that makes no game (rules §9)."""
    try:
        return rules.with_knobs(**{knob: value})
    except Unreadable:
        return rules


def compare_number(
    number: int, name: str | None, players: int | None = None, knobs_of: Translation = knobs_of
) -> Counter[str]:
    """One deal from the shuffle to its end, and one random scene; now and then also a match.

    Two and three players sit down every fourth time unless ``players`` says how many do.
    """
    chance = Random(number)
    rules = rules_for(chance, name, players or _BY_TURNS[number % len(_BY_TURNS)])
    met = compare_deal(rules, knobs_of(rules), chance)
    met += compare_scene(rules, knobs_of(rules), chance)
    turns, is_no_match = divmod(number, _EVERY_SO_MANY_A_MATCH)
    if not is_no_match:
        rules = rules_for(chance, name, players or _BY_TURNS[turns % len(_BY_TURNS)])
        met += compare_match(rules, knobs_of, chance)
    return met


def compare_deal(rules: Ruleset, knobs: Knobs, chance: Random) -> Counter[str]:
    """A whole deal; the shuffle is the engine's own."""
    seed = Seed(chance.randbytes(SEED_SIZE), b"")
    dealer = chance.randrange(knobs.players)
    sizes: tuple[int, ...] = (11, 11)
    if knobs.players == 3:
        sizes = chance.choice([(18, 11), (18, 11), (11, 11, 11)])
    pack, cut = shuffled(seed, 1, sum(sizes))  # H4
    cut = cut if rules.physical_cut else 0
    state = open_deal(rules, dealer, lay_out(pack, cut, dealer, knobs.players, sizes))
    table = reference.deal_out(knobs, list(map(str, pack)), cut, dealer, sizes)
    met = play_out(state, table, seats_taken(chance, knobs.players), chance)
    met["deals"] += 1
    met[f"deals of {knobs.players} players"] += 1
    return met


def compare_scene(rules: Ruleset, knobs: Knobs, chance: Random) -> Counter[str]:
    """A scene and the deal from there on."""
    table = random_scene(knobs, chance)
    met = play_out(state_of(table, rules), table, seats_taken(chance, knobs.players), chance)
    met["scenes"] += 1
    return met


def compare_match(rules: Ruleset, knobs_of: Translation, chance: Random) -> Counter[str]:
    """A short match, without looking at more than what is told and the totals."""
    deals = chance.choice([0, 1, 2])
    if rules.players == 3:
        # Long enough to pass 1000 and play on, with bonuses that bring it there soon.
        rules = rules.with_knobs(clean_bonus=500, dirty_bonus=400, semiclean_bonus=0)
        deals = 0
    elif not rules.deals:
        rules = rules.with_knobs(target=chance.choice([200, 600]))
    asks_cut = rules.physical_cut and chance.random() < 0.5
    seed = Seed(chance.randbytes(SEED_SIZE), b"")
    dealer = chance.randrange(rules.players)
    match = start_match(MatchSetup(rules, seed, dealer, deals, asks_cut)).match
    both = _Matches(seed, match, reference.Match(knobs_of(rules), deals, dealer), chance)
    both.play_out()
    return both.met


class _Matches:
    """The engine's match and the reference's, side by side."""

    def __init__(self, seed: Seed, match: Match, between: reference.Match, chance: Random) -> None:
        self.seed = seed
        self.match = match
        self.between = between
        self.chance = chance
        self.tempers = seats_taken(chance, between.knobs.players)
        self.met = Counter({"matches": 1})

    def play_out(self) -> None:
        """Deal after deal, until both say that the match is over; some tempers never get there."""
        while not self.between.is_over:
            if len(self.between.played) == _MOST_DEALS:
                return
            table = self._deal_out()
            self.met["deals of matches"] += 1
            self.met["deals of matches with three pozzetti"] += len(self.between.sizes) == 3
            for _ in range(LONGEST):
                table = self._step(table)
                if table.end is not None:
                    break
            else:
                return
        self._require(self.match.is_over, True)

    def _deal_out(self) -> Table:
        """The next table of the reference, the engine's cut asked where one is due."""
        pack, cut = self._shuffled()
        if self.match.deal is None:
            cut = self.chance.randrange(sum(self.between.sizes), 64)  # R19, H4
            step = play_in_match(self.match, Cut(cut))
            self.match = step.match
            table = self._table(pack, cut)
            self._require(list(map(event_of, step.events)), [self.between.begun(table)])
            return table
        return self._table(pack, cut)

    def _shuffled(self) -> tuple[tuple[Card, ...], int]:
        number = len(self.between.played) + 1
        return shuffled(self.seed, number, sum(self.between.sizes))  # H4

    def _table(self, pack: tuple[Card, ...], cut: int) -> Table:
        knobs = self.between.knobs
        names = list(map(str, pack))
        return reference.deal_out(
            knobs, names, cut if knobs.physical_cut else 0, self.between.dealer, self.between.sizes
        )

    def _step(self, table: Table) -> Table:
        move = choose(self.tempers[table.turn], legal_moves(table), self.chance)
        step = self._step_of_engine(move)
        after, events = play(table, move)
        expected = list(map(shown, events))
        if after.end is not None:
            self.between = self.between.after_deal(totals(after))
            expected += self._told_after_deal()
        self._require(list(map(event_of, step.events)), expected)
        self.match = step.match
        self._require(self.match.totals, self.between.totals)
        return after

    def _step_of_engine(self, move: Move) -> MatchStep:
        try:
            return play_in_match(self.match, action_of(move))
        except IllegalAction as refusal:
            assert self.match.deal is not None
            text = f"engine {refusal}, reference legal"
            raise Disagreement("match", self.match.deal, move, text) from None

    def _told_after_deal(self) -> list[Event]:
        if self.between.is_over:
            return [self.between.ended()]
        if self.match.setup.asks_cut:
            return []
        pack, cut = self._shuffled()
        return [self.between.begun(self._table(pack, cut))]

    def _require(self, engine: object, expected: object) -> None:
        if engine != expected:
            assert self.match.deal is not None
            text = f"engine {engine}, reference {expected}"
            raise Disagreement("match", self.match.deal, None, text)
