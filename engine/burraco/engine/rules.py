"""The rules of one game as a value: knobs, named presets, and a hash that tells two apart."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from typing import Final

from burraco.engine.errors import Unreadable

HAND_SIZE: Final = 11
POZZETTO_SIZE: Final = 11
LONE_POZZETTO_SIZE: Final = 18
# The most there are: tables of two and three leave the last ones out.
SEATS: Final = 4
SIDES: Final = 2
SIDES_AS_DEALT: Final = {2: (0, 1), 3: (0, 1, 2), 4: (0, 1, 0, 1)}
# Three players: where a match ends, and the total beyond which everybody stays alone (H10).
TARGET_OF_THREE: Final = 1505
ALONE_BEYOND: Final = 1000
BURRACO_LENGTH: Final = 7
# R19: a lift of at least 22 cards that leaves at least 45.
CUT_SMALLEST: Final = 22
CUT_LARGEST: Final = 63
STOCK_FLOOR: Final = 2

ALL_RANKS: Final = "A3456789TJQK"
MOST_POINTS: Final = 10_000

# Moves only when an outcome could differ for the same seed, rules and actions.
BEHAVIOUR_EPOCH: Final = 1


class Rediscard(StrEnum):
    """Whether the only card of a taken pile may be discarded at once (E46, E61)."""

    ALLOW = "allow"
    UNLESS_TWIN = "forbid_unless_twin"
    FORBID = "forbid"


class PozzettoSeen(StrEnum):
    """When a pozzetto taken on the discard is opened (E55)."""

    OWN_TURN = "own_next_turn"
    PARTNER_DISCARD = "partner_discard"


class CloseNeeds(StrEnum):
    """Which burraco a side needs to close (R55 to R59)."""

    ANY = "any"
    CLEAN = "clean"


class StockEnd(StrEnum):
    """When the stock ends a deal (E1, E65)."""

    AT_ONCE = "at_once"
    AFTER_DISCARD = "after_discard"


class SemicleanSet(StrEnum):
    """How many cards make a dirty set semi-clean."""

    EXACTLY_EIGHT = "exactly_8"
    AT_LEAST_EIGHT = "at_least_8"


@dataclass(frozen=True)
class Ruleset:
    """Every knob of rules/README §9; start from a preset and override single knobs.

    Points are points of play. ``target`` 0 means a match of ``deals`` deals, and the other way
    round; a combination that makes no game raises ``Unreadable``.
    """

    name: str = "classic"
    suit_order: str = "shdc"
    physical_cut: bool = True
    pile_requires_meld: bool = False
    rediscard_single: Rediscard = Rediscard.ALLOW
    set_ranks: str = ALL_RANKS
    second_set_of_rank: bool = True
    two_two_joker: bool = True
    pozzetto_seen: PozzettoSeen = PozzettoSeen.OWN_TURN
    close_needs: CloseNeeds = CloseNeeds.ANY
    stock_end: StockEnd = StockEnd.AT_ONCE
    stalemate_turns: int = 8
    semiclean_bonus: int = 0
    semiclean_set: SemicleanSet = SemicleanSet.EXACTLY_EIGHT
    clean_bonus: int = 200
    dirty_bonus: int = 100
    closing_bonus: int = 100
    no_pozzetto_penalty: int = 100
    no_pozzetto_waived_if_none: bool = False
    target: int = 2000
    deals: int = 0
    players: int = 4

    def __post_init__(self) -> None:
        self._check_suits_and_ranks()
        self._check_points()
        self._check_lengths()
        # Ranks are a set: rules that play alike are to have one hash.
        ranks = "".join(rank for rank in ALL_RANKS if rank in self.set_ranks)
        object.__setattr__(self, "set_ranks", ranks)

    def _check_suits_and_ranks(self) -> None:
        if sorted(self.suit_order) != sorted("shdc"):
            raise Unreadable(f"suit_order {self.suit_order!r} is no order of the suits s h d c")
        if not set(self.set_ranks) <= set(ALL_RANKS):
            raise Unreadable(f"set_ranks {self.set_ranks!r}: only the ranks {ALL_RANKS} make sets")
        if len(set(self.set_ranks)) < len(self.set_ranks):
            raise Unreadable(f"set_ranks {self.set_ranks!r} names a rank twice")

    def _check_points(self) -> None:
        for name in _POINT_KNOBS:
            value = getattr(self, name)
            if not 0 <= value <= MOST_POINTS or value % 5:
                raise Unreadable(
                    f"{name} {value}: points are a multiple of 5 from 0 to {MOST_POINTS}"
                )
        if self.dirty_bonus > self.clean_bonus:
            raise Unreadable(
                f"dirty_bonus {self.dirty_bonus} above clean_bonus {self.clean_bonus}: a wild card"
                " would make a burraco worth more"
            )
        if self.semiclean_bonus and not (
            self.dirty_bonus <= self.semiclean_bonus <= self.clean_bonus
        ):
            raise Unreadable(
                f"semiclean_bonus {self.semiclean_bonus}: it lies between dirty_bonus"
                f" {self.dirty_bonus} and clean_bonus {self.clean_bonus}, or is 0 for off"
            )

    def _check_lengths(self) -> None:
        if self.players not in SIDES_AS_DEALT:
            raise Unreadable(f"players {self.players}: a table has 2, 3 or 4")
        if not 0 <= self.stalemate_turns <= 100:
            raise Unreadable(f"stalemate_turns {self.stalemate_turns}: 0 for off, or up to 100")
        if (self.target > 0) == (self.deals > 0) or self.target < 0 or self.deals < 0:
            raise Unreadable(
                f"target {self.target} and deals {self.deals}: a match ends at a target or after a"
                " number of deals, so exactly one of the two is above 0"
            )
        if self.target > 1_000_000 or self.deals > 1_000:
            raise Unreadable("a match is at most 1000 deals or 1000000 points")

    @cached_property
    def set_rank_numbers(self) -> frozenset[int]:
        """The ranks of ``set_ranks`` as ``Card.rank`` counts them."""
        return frozenset("A23456789TJQK".index(rank) for rank in self.set_ranks)

    @cached_property
    def sides_as_dealt(self) -> tuple[int, ...]:
        """The side of each seat when a deal begins; only three players change it (H6)."""
        return SIDES_AS_DEALT[self.players]

    @cached_property
    def side_count(self) -> int:
        """How many sides a deal begins with: points and totals have so many numbers (H12)."""
        return max(self.sides_as_dealt) + 1

    @cached_property
    def content_hash(self) -> bytes:
        """SHA-256 of every knob but the name: two rulesets that play alike have one hash."""
        lines = (
            f"{field.name}={getattr(self, field.name)}\n"
            for field in fields(self)
            if field.name != "name"
        )
        return hashlib.sha256(b"burraco/rules/v1\n" + "".join(lines).encode()).digest()

    def with_knobs(self, **knobs: bool | int | str) -> "Ruleset":
        """The same rules with single knobs changed; an unknown knob or value is unreadable.

        Another number of ``players`` is seated first; a target or a number of deals given beside
        it stands in place of the target of three.
        """
        if "players" in knobs:
            players = _fitted("players", self.players, knobs.pop("players"))
            table = seated(self, int(players))
            if players == 3 and table is not self and knobs.get("deals"):
                knobs.setdefault("target", 0)
            return table.with_knobs(**knobs)
        known = {field.name for field in fields(self)} - {"name"}
        for knob in knobs:
            if knob not in known:
                raise Unreadable(f"no knob {knob!r}: there are {', '.join(sorted(known))}")
        fitted = {knob: _fitted(knob, getattr(self, knob), to) for knob, to in knobs.items()}
        return replace(self, **fitted)  # type: ignore[arg-type]  # each has its knob's own type


def seated(rules: Ruleset, players: int) -> Ruleset:
    """The rules for so many players; three play to 1505 whatever the rules say (decisions H)."""
    if players == rules.players:
        return rules
    if players == 3:
        return replace(rules, players=players, target=TARGET_OF_THREE, deals=0)
    return replace(rules, players=players)


def pozzetto_sizes(rules: Ruleset, highest: Sequence[int]) -> tuple[int, ...]:
    """Cards of each pozzetto of the next deal, in the order they are taken.

    ``highest`` are the highest totals that the sides have had so far in the match; once one is
    beyond 1000, three players stay alone (H10).
    """
    if rules.side_count <= SIDES:
        return (POZZETTO_SIZE,) * SIDES
    if max(highest, default=0) > ALONE_BEYOND:
        return (POZZETTO_SIZE,) * rules.side_count
    return (LONE_POZZETTO_SIZE, POZZETTO_SIZE)


def _fitted(knob: str, present: bool | int | str, new: bool | int | str) -> bool | int | str:
    """The new value in the type of the present one."""
    if isinstance(present, StrEnum):
        choices = {member.value: member for member in type(present)}
        if new not in choices:
            raise Unreadable(f"{knob} {new!r}: it is one of {', '.join(choices)}")
        return choices[str(new)]
    if type(new) is not type(present):
        raise Unreadable(f"{knob} {new!r}: a value such as {present!r} is needed")
    return new


_POINT_KNOBS: Final = (
    "semiclean_bonus",
    "clean_bonus",
    "dirty_bonus",
    "closing_bonus",
    "no_pozzetto_penalty",
)

CLASSIC: Final = Ruleset()
FIBUR: Final = Ruleset(
    name="fibur",
    suit_order="hdcs",
    physical_cut=False,
    rediscard_single=Rediscard.UNLESS_TWIN,
    second_set_of_rank=False,
    two_two_joker=False,
    pozzetto_seen=PozzettoSeen.PARTNER_DISCARD,
    stock_end=StockEnd.AFTER_DISCARD,
    semiclean_bonus=150,
    no_pozzetto_waived_if_none=True,
    target=0,
    deals=4,
)
INTERNATIONAL: Final = Ruleset(
    name="international",
    suit_order="hdcs",
    physical_cut=False,
    pile_requires_meld=True,
    rediscard_single=Rediscard.FORBID,
    set_ranks="A3",
    second_set_of_rank=False,
    two_two_joker=False,
    pozzetto_seen=PozzettoSeen.PARTNER_DISCARD,
    close_needs=CloseNeeds.CLEAN,
    stock_end=StockEnd.AFTER_DISCARD,
    target=0,
    deals=4,
)
ONLINE: Final = Ruleset(
    name="online",
    suit_order="hdcs",
    physical_cut=False,
    rediscard_single=Rediscard.FORBID,
    two_two_joker=False,
    stock_end=StockEnd.AFTER_DISCARD,
    semiclean_bonus=150,
    semiclean_set=SemicleanSet.AT_LEAST_EIGHT,
    target=2005,
)
PRESETS: Final = {rules.name: rules for rules in (CLASSIC, FIBUR, INTERNATIONAL, ONLINE)}


def preset(name: str) -> Ruleset:
    """The named preset; another name is unreadable and the message lists those there are."""
    if name not in PRESETS:
        raise Unreadable(f"no preset {name!r}: there are {', '.join(PRESETS)}")
    return PRESETS[name]
