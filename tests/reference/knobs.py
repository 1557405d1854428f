"""The knobs of rules/README §9 and the four presets, copied out of its table."""

from dataclasses import dataclass, replace

ALL = "A3456789TJQK"


@dataclass(frozen=True)
class Knobs:
    """One column of the table; a word is the word of the table with underscores."""

    players: int
    suit_order: str
    physical_cut: bool
    pile_requires_meld: bool
    rediscard_single: str
    set_ranks: str
    second_set_of_rank: bool
    two_two_joker: bool
    pozzetto_seen: str
    close_needs: str
    stock_end: str
    stalemate_turns: int
    semiclean_bonus: int
    semiclean_set: str
    clean_bonus: int
    dirty_bonus: int
    closing_bonus: int
    no_pozzetto_penalty: int
    no_pozzetto_waived_if_none: bool
    target: int
    deals: int


CLASSIC = Knobs(
    players=4,
    suit_order="shdc",
    physical_cut=True,
    pile_requires_meld=False,
    rediscard_single="allow",
    set_ranks=ALL,
    second_set_of_rank=True,
    two_two_joker=True,
    pozzetto_seen="own_next_turn",
    close_needs="any",
    stock_end="at_once",
    stalemate_turns=8,
    semiclean_bonus=0,
    semiclean_set="exactly_8",
    clean_bonus=200,
    dirty_bonus=100,
    closing_bonus=100,
    no_pozzetto_penalty=100,
    no_pozzetto_waived_if_none=False,
    target=2000,
    deals=0,
)
FIBUR = replace(
    CLASSIC,
    suit_order="hdcs",
    physical_cut=False,
    rediscard_single="forbid_unless_twin",
    second_set_of_rank=False,
    two_two_joker=False,
    pozzetto_seen="partner_discard",
    stock_end="after_discard",
    semiclean_bonus=150,
    semiclean_set="exactly_8",
    no_pozzetto_waived_if_none=True,
    target=0,
    deals=4,
)
INTERNATIONAL = replace(
    CLASSIC,
    suit_order="hdcs",
    physical_cut=False,
    pile_requires_meld=True,
    rediscard_single="forbid",
    set_ranks="A3",
    second_set_of_rank=False,
    two_two_joker=False,
    pozzetto_seen="partner_discard",
    close_needs="clean",
    stock_end="after_discard",
    target=0,
    deals=4,
)
ONLINE = replace(
    CLASSIC,
    suit_order="hdcs",
    physical_cut=False,
    rediscard_single="forbid",
    two_two_joker=False,
    stock_end="after_discard",
    semiclean_bonus=150,
    semiclean_set="at_least_8",
    target=2005,
)
PRESETS = {
    "classic": CLASSIC,
    "fibur": FIBUR,
    "international": INTERNATIONAL,
    "online": ONLINE,
}


def seated(knobs: Knobs, players: int) -> Knobs:
    """The preset for so many players: three play to 1505 (docs/players.md)."""
    if players == 3:
        return replace(knobs, players=3, target=1505, deals=0)
    return replace(knobs, players=players)
