"""What each format promises of its pairings, on fields of every size, with and without leavers."""

from collections import Counter
from itertools import combinations, pairwise
from random import Random

import pytest

from burraco.tournament.field import Entry, Format, Stage
from burraco.tournament.past import Past
from burraco.tournament.progress import Progress
from burraco.tournament.rows import RoundPaired, Withdrawn
from tests.tournament.events import by_chance, field_of, plan_of, play, started

SIZES = (2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 16, 17, 25, 32)


def event(
    stages: list[Stage], entries: tuple[Entry, ...], seed: int, leavers: float = 0
) -> Progress:
    chance = Random(seed)

    def leave(progress: Progress) -> Withdrawn | None:
        if not progress.active or chance.random() >= leavers:
            return None
        return Withdrawn(chance.choice(sorted(progress.active)), "left", "director")

    rows = started(plan_of(*stages), entries)
    progress = play(rows, by_chance(seed), leave)
    gone: set[int] = set()
    for row in rows:
        if isinstance(row, Withdrawn):
            gone.add(row.entry)
        if isinstance(row, RoundPaired):
            there = [entry for table in row.round.tables for entry in table.entries]
            there += row.round.byes
            assert len(there) == len(set(there)), "nobody is twice in a round"
            assert gone.isdisjoint(there), "nobody who has left is paired"
    return progress


def meetings(progress: Progress) -> Counter[tuple[int, int]]:
    past = Past.of(progress.played)
    couples = combinations(range(len(progress.entries)), 2)
    return Counter({couple: past.met(*couple) for couple in couples if past.met(*couple)})


@pytest.mark.parametrize("size", SIZES)
def test_round_robin_everybody_meets_everybody_once(size: int) -> None:
    progress = event([Stage(Format.ROUND_ROBIN, 0)], field_of(size), 1)
    assert set(meetings(progress).values()) == {1}
    assert len(meetings(progress)) == size * (size - 1) // 2
    assert len(progress.played) == size - 1 + size % 2
    byes = Past.of(progress.played).byes
    assert all(byes[entry] == size % 2 for entry in range(size)), "each sits out once, or nobody"


@pytest.mark.parametrize("seed", range(40))
def test_round_robin_ends_when_all_that_are_left_have_met(seed: int) -> None:
    size = Random(seed).randrange(2, 16)
    progress = event([Stage(Format.ROUND_ROBIN, 0)], field_of(size), seed, leavers=0.3)
    met = meetings(progress)
    assert max(met.values(), default=1) == 1
    assert all(couple in met for couple in combinations(sorted(progress.active), 2))


@pytest.mark.parametrize("size", SIZES)
def test_mitchell_no_opponent_twice_and_no_bye_twice(size: int) -> None:
    progress = event([Stage(Format.MITCHELL, 0)], field_of(size), 1)
    assert len(progress.played) == (size + 1) // 2
    assert set(meetings(progress).values()) == {1}
    assert max(Past.of(progress.played).byes.values(), default=0) <= 1


def test_mitchell_north_and_south_stay() -> None:
    progress = event([Stage(Format.MITCHELL, 0)], field_of(12), 3)
    stayed = [{table.sides[0] for table in played.round.tables} for played in progress.played]
    assert all(line == stayed[0] for line in stayed)


def test_mitchell_keeps_one_owner_in_one_line() -> None:
    entries = field_of(12, owners=6)
    progress = event([Stage(Format.MITCHELL, 0)], entries, 3)
    assert all(entries[a].owner != entries[b].owner for a, b in meetings(progress))


@pytest.mark.parametrize("format_", [Format.DANISH, Format.MODIFIED_DANISH, Format.SWISS])
@pytest.mark.parametrize("seed", range(25))
def test_nobody_has_a_second_bye_before_everybody_has_one(format_: Format, seed: int) -> None:
    size = Random(seed).choice((3, 5, 7, 9, 13, 19))
    progress = event([Stage(format_, Random(seed).randrange(1, 2 * size))], field_of(size), seed)
    byes: Counter[int] = Counter()
    for played in progress.played:
        for entry in played.round.byes:
            assert byes[entry] == min(byes[other] for other in range(size))
            byes[entry] += 1
        assert len(played.round.byes) == 1


def test_155_five_pairs_in_five_rounds_have_one_bye_each() -> None:
    for format_ in (Format.ROUND_ROBIN, Format.SWISS, Format.DANISH, Format.MODIFIED_DANISH):
        progress = event([Stage(format_, 5)], field_of(5), 7)
        assert Past.of(progress.played).byes == Counter(range(5))


def test_danish_first_meets_second() -> None:
    progress = event([Stage(Format.DANISH, 2)], field_of(8), 5)
    opened, *others = progress.played
    before = Progress(progress.opened)
    before.entries, before.played = progress.entries, [opened]
    order = [place.entry for place in before.standings(b"lots of a test")]
    pairs = {frozenset(table.entries) for table in others[0].round.tables}
    assert pairs == {frozenset(order[at : at + 2]) for at in range(0, 8, 2)}


@pytest.mark.parametrize("seed", range(60))
def test_modified_danish_bars_the_opponent_of_the_round_before(seed: int) -> None:
    size = Random(seed).randrange(4, 30)
    progress = event([Stage(Format.MODIFIED_DANISH, 8)], field_of(size), seed)
    for one, other in pairwise(progress.played):
        barred = {frozenset(table.entries) for table in one.round.tables}
        assert barred.isdisjoint(frozenset(table.entries) for table in other.round.tables)


@pytest.mark.parametrize("seed", range(80))
def test_swiss_has_no_rematch_that_can_be_avoided(seed: int) -> None:
    chance = Random(seed)
    size = chance.choice((4, 5, 6, 8, 9, 12, 17, 24, 40))
    leavers = chance.choice((0, 0, 0.2))
    progress = event([Stage(Format.SWISS, size // 2)], field_of(size), seed, leavers)
    # In half as many rounds as there are entries everybody has someone left (Dirac 1952).
    if not leavers:
        assert max(meetings(progress).values()) == 1


def test_swiss_to_the_last_round_of_a_round_robin() -> None:
    """Ever fewer couples have not met: whenever one round without a rematch exists it is found."""
    for seed in range(20):
        progress = event([Stage(Format.SWISS, 3)], field_of(4), seed)
        assert set(meetings(progress).values()) == {1}


@pytest.mark.parametrize("seed", range(30))
def test_swiss_keeps_owners_apart(seed: int) -> None:
    entries = field_of(12, owners=6)
    progress = event([Stage(Format.SWISS, 4)], entries, seed)
    assert all(entries[a].owner != entries[b].owner for a, b in meetings(progress))


@pytest.mark.parametrize("size", SIZES)
def test_knock_out_leaves_one_unbeaten(size: int) -> None:
    progress = event([Stage(Format.KNOCK_OUT, 0)], field_of(size), size)
    byes = Past.of(progress.played).byes
    places = 1 << (size - 1).bit_length()
    assert byes == Counter(range(places - size)), "the first of the seeding, once"
    lost = {
        table.sides[1 - score.winner][0]
        for played in progress.played
        for table, score in zip(played.round.tables, played.scores, strict=True)
        if score.winner is not None
    }
    assert len(lost) in (size - 1, size - 2), "all but one; a tie may have been left to the lot"


@pytest.mark.parametrize("seed", range(40))
def test_knock_out_ends_whoever_leaves(seed: int) -> None:
    size = Random(seed).randrange(2, 20)
    progress = event([Stage(Format.KNOCK_OUT, 0)], field_of(size), seed, leavers=0.4)
    assert len(progress.played) < 30


@pytest.mark.parametrize("size", SIZES[1:])
def test_gauntlet_every_entry_meets_every_anchor_and_nobody_else(size: int) -> None:
    entries = field_of(size, anchors=max(1, size // 3))
    progress = event([Stage(Format.GAUNTLET, 0)], entries, 2)
    met = meetings(progress)
    for a, b in combinations(range(size), 2):
        assert met[a, b] == int(entries[a].is_anchor != entries[b].is_anchor)


@pytest.mark.parametrize("size", [4, 5, 6, 7, 8, 9, 13, 16, 21])
def test_individual_partners_change(size: int) -> None:
    progress = event([Stage(Format.INDIVIDUAL, 3)], field_of(size), size)
    past = Past.of(progress.played)
    couples = combinations(range(size), 2)
    assert max(past.partnered(*couple) for couple in couples) == 1
    assert {len(played.round.byes) for played in progress.played} == {size % 4}
    byes = [past.byes[entry] for entry in range(size)]
    assert max(byes) - min(byes) <= 1


def test_ladder_goes_on_until_it_is_ended() -> None:
    progress = event([Stage(Format.LADDER, 12)], field_of(7), 1)
    assert len(progress.played) == 12
    byes = [Past.of(progress.played).byes[entry] for entry in range(7)]
    assert max(byes) - min(byes) <= 1


def test_a_club_evening_is_three_rounds_of_mitchell_and_one_danish() -> None:
    stages = [Stage(Format.MITCHELL, 3), Stage(Format.DANISH, 1)]
    progress = event(stages, field_of(10), 4)
    assert [played.stage for played in progress.played] == [0, 0, 0, 1]


@pytest.mark.parametrize(
    "format_", [Format.ROUND_ROBIN, Format.DANISH, Format.SWISS, Format.LADDER, Format.GAUNTLET]
)
def test_seats_are_balanced(format_: Format) -> None:
    for size in (4, 8, 12, 20):
        anchors = size // 2 if format_ is Format.GAUNTLET else 0
        rounds = 0 if format_ in (Format.ROUND_ROBIN, Format.GAUNTLET) else size // 2
        progress = event([Stage(format_, rounds)], field_of(size, anchors=anchors), 5)
        past = Past.of(progress.played)
        assert max(abs(past.leaning(entry)) for entry in range(size)) <= 3


@pytest.mark.parametrize("format_", list(Format))
def test_pairings_follow_from_what_was_played_and_nothing_else(format_: Format) -> None:
    size = 2 if format_ is Format.DUEL else 9
    rounds = 0 if format_ in (Format.KNOCK_OUT, Format.ROUND_ROBIN) else 4
    entries = field_of(size, anchors=3 if format_ is Format.GAUNTLET else 0)
    one = event([Stage(format_, rounds)], entries, 11)
    again = event([Stage(format_, rounds)], entries, 11)
    assert one.played == again.played
    assert one.standings(b"x") == again.standings(b"x")


@pytest.mark.parametrize("size", [199, 200])
def test_two_hundred_entries(size: int) -> None:
    swiss = event([Stage(Format.SWISS, 4)], field_of(size, owners=size // 2), 1)
    assert max(meetings(swiss).values()) == 1
    danish = event([Stage(Format.MODIFIED_DANISH, 3)], field_of(size), 1)
    assert all(len(played.round.tables) == size // 2 for played in danish.played)


def test_no_owner_meets_a_deck_at_two_tables() -> None:
    entries = field_of(12, owners=3)
    progress = event([Stage(Format.ROUND_ROBIN, 0)], entries, 1)
    for played in progress.played:
        decks: dict[int, list[str]] = {}
        for table in played.round.tables:
            decks.setdefault(table.deck, []).extend(
                {entries[entry].owner for entry in table.entries}
            )
        assert all(len(owners) == len(set(owners)) for owners in decks.values())


def test_all_tables_of_a_round_share_one_deck_where_every_entry_has_its_owner() -> None:
    progress = event([Stage(Format.SWISS, 3)], field_of(16), 1)
    assert {table.deck for played in progress.played for table in played.round.tables} == {0}
