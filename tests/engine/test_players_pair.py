"""Two and three players (docs/players.md H6 to H11): who plays with whom, and the pozzetti."""

from collections.abc import Sequence

import pytest

from burraco.engine import (
    DRAW_STOCK,
    DealState,
    End,
    EndedBy,
    MatchSetup,
    Reason,
    bag,
    parse_cards,
    preset,
    start_match,
    view,
)
from burraco.engine.cards import Card, size
from burraco.engine.events import PairMade, PozzettoOpened, PozzettoTaken
from burraco.engine.match import DealResult, pozzetti_due
from burraco.engine.rules import pozzetto_sizes
from burraco.engine.state import SEAT_NAMES
from tests.support.blocks import state_of
from tests.support.players import (
    ALL,
    CLOSED,
    EIGHTEEN,
    ELEVEN,
    MELDS,
    SEED,
    STOCK,
    THREE,
    TWO,
    E,
    N,
    S,
    rules_for,
)
from tests.support.playing import add, discard, lay, pass_turns, play, refusal, step
from tests.support.scenes import cards

BOTH = f'Pozzetti "1:{EIGHTEEN} 2:{ELEVEN}"'
LAST = f'Pozzetti "1:- 2:{ELEVEN}"'


@pytest.mark.parametrize(("lone", "sides"), [("N", (0, 1, 1)), ("E", (0, 1, 0)), ("S", (0, 0, 2))])
def test_H6_who_takes_the_18_directly_is_alone(lone: str, sides: tuple[int, ...]) -> None:
    before = state_of(THREE, f'Turn "{lone} play"', f'Hands "{lone}:JhQhKh"', BOTH)
    seat = SEAT_NAMES.index(lone)
    assert before.sides == (0, 1, 2)
    after, events = step(before, lay("Jh Qh Kh"))
    assert after.sides == sides
    assert after.taken == tuple(at == seat for at in range(3))
    assert after.hands[seat] == bag(parse_cards(EIGHTEEN))
    assert tuple(map(size, after.pozzetti)) == (11,)
    assert after.turn == seat
    assert [event.fact for event in events[1:]] == [PozzettoTaken(seat, True), PairMade(seat)]
    assert [len(event.seen_by(seat).cards) for event in events[1:]] == [18, 0]


def test_H6_who_takes_the_18_on_the_discard_is_alone_from_then_on() -> None:
    before = state_of(THREE, 'Turn "E play"', 'Hands "E:9h"', BOTH)
    after, events = step(before, discard("9h"))
    assert (after.sides, after.taken, after.turn) == ((0, 1, 0), (False, True, False), S)
    assert after.unopened[E] == bag(parse_cards(EIGHTEEN))
    assert [event.fact for event in events[1:]] == [PozzettoTaken(E, False), PairMade(E)]
    assert not any(event.secrets for event in events)


@pytest.mark.parametrize("taker", ["N", "E"])
def test_H6_R49_two_players_stay_alone_with_a_pozzetto_each(taker: str) -> None:
    seat, other = SEAT_NAMES.index(taker), "E" if taker == "N" else "N"
    first = state_of(TWO, f'Turn "{taker} play"', f'Hands "{taker}:9h"')
    after, events = step(first, discard("9h"))
    assert (after.sides, after.taken) == ((0, 1), (seat == N, seat == E))
    assert [event.fact for event in events[1:]] == [PozzettoTaken(seat, False)]
    second = state_of(
        TWO, f'Turn "{taker} play"', f'Hands "{taker}:9h"', f'Pozzetto "{other} taken"'
    )
    assert play(second, discard("9h")).taken == (True, True)


@pytest.mark.parametrize(
    ("lone", "pair", "joined"),
    [
        pytest.param("E", N, ["7h 7d 7c", "3d 4d 5d", "9h 9d 9c", "3c 4c 5c"], id="N-before-S"),
        pytest.param("N", E, ["8h 8d 8c", "9h 9d 9c", "3c 4c 5c"], id="E-before-S"),
        pytest.param("S", N, ["7h 7d 7c", "3d 4d 5d", "8h 8d 8c"], id="N-before-E"),
    ],
)
def test_H7_melds_are_joined_and_numbered_on(lone: str, pair: int, joined: list[str]) -> None:
    seat = SEAT_NAMES.index(lone)
    before = state_of(THREE, f'Turn "{lone} play"', f'Hands "{lone}:Ks"', MELDS)
    after = play(before, discard("Ks"))
    assert [bag(meld.cards) for meld in after.melds[pair]] == [bag(cards(one)) for one in joined]
    assert after.melds[seat] == before.melds[seat]
    (free,) = {0, 1, 2} - {seat, pair}
    assert (after.melds[free], after.taken[free]) == ((), False)


def test_H7_both_add_to_the_joined_melds_and_lay_the_next_number() -> None:
    """E is alone: M3 is what South had as M1, and the next meld of North or South is M5."""
    hands = 'Hands "N:6c6d8sAh S:9s5s6s7sAh E:Ks"'
    before = state_of(THREE, 'Turn "E play"', hands, MELDS, STOCK)
    south = play(before, discard("Ks"), DRAW_STOCK, add(3, "9s"), lay("5s 6s 7s"), discard("Ah"))
    assert [meld.size for meld in south.melds[N]] == [3, 3, 4, 3, 3]
    north = play(south, DRAW_STOCK, add(4, "6c"), add(2, "6d"), add(5, "8s"))
    assert [meld.size for meld in north.melds[N]] == [3, 4, 4, 4, 4]


def test_H7_E41_two_sets_of_a_rank_may_meet_and_a_third_is_refused() -> None:
    before = state_of(
        'Rules "fibur players=3"',
        'Turn "E play"',
        'Hands "E:Ks S:7s7c2hQs4h"',
        'Melds "N: 7h7d7c S: 7h7d7s"',
        STOCK,
    )
    alone = play(before, discard("Ks"), DRAW_STOCK)
    assert (alone.turn, len(alone.melds[N])) == (S, 2)
    told = refusal(alone, lay("7s 7c 2h"))
    assert (told.reason, told.rule) == (Reason.SECOND_SET_OF_RANK, "E41")
    assert [meld.size for meld in play(alone, add(1, "7s"), add(2, "7c")).melds[N]] == [4, 4]


def test_H7_E41_before_they_are_joined_each_has_a_set_of_its_own() -> None:
    state = state_of(
        'Rules "fibur players=3"', 'Turn "S play"', 'Hands "S:7s7s7cQs"', 'Melds "N: 7h7d7c"'
    )
    assert len(play(state, lay("7s 7s 7c")).melds[S]) == 1


def test_H8_the_pair_has_the_11_for_whoever_runs_out_first() -> None:
    before = state_of(
        THREE, 'Turn "N play"', 'Hands "N:Ks S:9h9s E:8h8s"', LAST, 'Pozzetto "E taken"', STOCK
    )
    north, events = step(before, discard("Ks"))
    assert (north.sides, north.taken) == ((0, 1, 0), (True, True, False))
    assert (north.unopened[N], north.pozzetti) == (bag(parse_cards(ELEVEN)), ())
    assert [event.fact for event in events[1:]] == [PozzettoTaken(N, False)]


def test_H8_E58_the_pair_gets_no_second() -> None:
    state = state_of(
        THREE, 'Turn "S play"', 'Hands "S:Ks"', 'Melds "NS: 7h7d7c"', 'Pozzetto "E taken, NS taken"'
    )
    assert refusal(state, discard("Ks")).reason is Reason.CLOSE_NO_BURRACO


@pytest.mark.parametrize("name", ALL)
def test_H9_a_partners_burraco_from_before_counts_for_the_pair(name: str) -> None:
    """South alone has 3h to 9h, East takes the 18; North runs out, takes the 11 and closes."""
    alone = state_of(
        f'Rules "{name} players=3"',
        'Turn "E play"',
        'Hands "N:JcQc E:Ks S:8s7s"',
        'Melds "S: 3h4h5h6h7h8h9h"',
        'Pozzetti "1:*18 2:3s4s5s3d4d5d3c4c5cThJd"',
        'Stock "KhKc8s7s9s"',
    )
    south = play(alone, discard("Ks"), DRAW_STOCK, discard("Kh"))
    eleven = play(south, DRAW_STOCK, lay("Jc Qc Kc"))
    assert (eleven.sides, eleven.taken) == ((0, 1, 0), (True, True, False))
    runs = (lay("3s 4s 5s"), lay("3d 4d 5d"), lay("3c 4c 5c"))
    closed = play(eleven, *runs, add(1, "Th"), discard("Jd"))
    assert closed.end == End(EndedBy.CLOSED, N)


@pytest.mark.parametrize(
    ("turn", "melds", "closes"),
    [
        pytest.param("E", "E: 3c4c5c6c7c8c9c", True, id="the-lone-player-on-the-own"),
        pytest.param("E", "NS: 3c4c5c6c7c8c9c E: 7h7d7s", False, id="not-on-the-pairs"),
        pytest.param("N", "NS: 7h7d7s, 3c4c5c6c7c8c9c", True, id="the-pair-on-the-joined"),
        pytest.param("S", "NS: 7h7d7s, 3c4c5c6c7c8c9c", True, id="either-of-the-pair"),
        pytest.param("S", "E: 3c4c5c6c7c8c9c", False, id="the-pair-not-on-the-lone-players"),
    ],
)
def test_H9_closing(turn: str, melds: str, closes: bool) -> None:
    state = state_of(
        THREE,
        f'Turn "{turn} play"',
        f'Hands "{turn}:Kd"',
        f'Melds "{melds}"',
        'Pozzetto "E taken, NS taken"',
    )
    if closes:
        closed = play(state, discard("Kd"))
        assert closed.end == End(EndedBy.CLOSED, SEAT_NAMES.index(turn))
    else:
        assert refusal(state, discard("Kd")).reason is Reason.CLOSE_NO_BURRACO


def test_H9_without_its_pozzetto_the_pair_takes_it_and_does_not_close() -> None:
    state = state_of(
        THREE,
        'Turn "S play"',
        'Hands "S:Kd"',
        'Melds "NS: 3c4c5c6c7c8c9c"',
        'Pozzetto "E taken"',
    )
    after = play(state, discard("Kd"))
    assert (after.end, after.taken, size(after.unopened[S])) == (None, (True, True, False), 11)


@pytest.mark.parametrize(
    ("points", "due"),
    [
        pytest.param((), (18, 11), id="the-first-deal"),
        pytest.param(((1000, 300, -50),), (18, 11), id="1000-is-not-passed"),
        pytest.param(((1005, 300, -50),), (11, 11, 11), id="1005"),
        pytest.param(((-50, 300, 1005),), (11, 11, 11), id="anybody"),
        pytest.param(((600, 0, 0), (0, 600, 0)), (18, 11), id="not-together"),
        pytest.param(((600, 0, 0), (405, 0, 0)), (11, 11, 11), id="in-two-deals"),
        pytest.param(((1005, 0, 0), (-300, 0, 0)), (11, 11, 11), id="later-totals-do-not-matter"),
        pytest.param(((500, 0, 0), (505, 0, 0), (-900, 0, 0)), (11, 11, 11), id="for-good"),
    ],
)
def test_H10_when_everybody_stays_alone(
    points: tuple[tuple[int, ...], ...], due: tuple[int, ...]
) -> None:
    results = [DealResult(0, CLOSED, one) for one in points]
    assert pozzetti_due(rules_for("classic", 3), results) == due


@pytest.mark.parametrize("players", [2, 4])
@pytest.mark.parametrize("highest", [(), (0, 0), (2000, 5)])
def test_H10_two_and_four_players_always_have_two(players: int, highest: Sequence[int]) -> None:
    assert pozzetto_sizes(rules_for("classic", players), highest) == (11, 11)


@pytest.mark.parametrize(
    ("turn", "before", "gone", "taken"),
    [
        pytest.param("S", "", 0, (False, False, True), id="the-first"),
        pytest.param("N", "S taken", 1, (True, False, True), id="the-second"),
        pytest.param("E", "S taken, N taken", 2, (True, True, True), id="the-third"),
    ],
)
def test_H10_each_takes_one_in_order_and_nobody_is_joined(
    turn: str, before: str, gone: int, taken: tuple[bool, ...]
) -> None:
    waiting = (ELEVEN, "8sTd9cTcJcJcQcQcAcAc3s", "3d4d5d6d7d3c4c5c6c7c2c")
    named = " ".join(
        f"{number}:{'-' if number <= gone else pozzetto}"
        for number, pozzetto in enumerate(waiting, 1)
    )
    state = state_of(
        THREE,
        f'Turn "{turn} play"',
        f'Hands "{turn}:Ks"',
        f'Pozzetti "{named}"',
        f'Pozzetto "{before}"',
    )
    after, events = step(state, discard("Ks"))
    assert (after.sides, after.taken) == ((0, 1, 2), taken)
    assert after.unopened[SEAT_NAMES.index(turn)] == bag(parse_cards(waiting[gone]))
    assert len(after.pozzetti) == 2 - gone
    assert [event.fact for event in events[1:]] == [PozzettoTaken(SEAT_NAMES.index(turn), False)]


def _opened(state: DealState, turns: int) -> list[list[int]]:
    """Who opens a pozzetto at the end of each of the next turns."""
    opened = []
    for _ in range(turns):
        drawn = play(state, DRAW_STOCK)
        state, events = step(drawn, discard(str(Card(drawn.drawn))))
        facts = [event.fact for event in events]
        opened.append([fact.seat for fact in facts if isinstance(fact, PozzettoOpened)])
    return opened


SEEN_BY_DISCARD = "pozzetto_seen=partner_discard"
HOLDING = 'Hands "N:8h8s E:9h9s S:Ah3h"'


@pytest.mark.parametrize("seen", ["pozzetto_seen=own_next_turn", SEEN_BY_DISCARD])
@pytest.mark.parametrize(("players", "opened"), [(2, [[E]]), (3, [[], [E]])], ids=["two", "three"])
def test_H11_without_a_partner_when_the_own_turn_begins(
    seen: str, players: int, opened: list[list[int]]
) -> None:
    hands = HOLDING.replace("9h9s", "9h").replace(" S:Ah3h", "" if players == 2 else " S:Ah3h")
    state = state_of(f'Rules "classic players={players} {seen}"', 'Turn "E play"', hands, STOCK)
    assert _opened(play(state, discard("9h")), players - 1) == opened


@pytest.mark.parametrize(
    ("taker", "seen", "opened"),
    [
        pytest.param("E", SEEN_BY_DISCARD, [[E], []], id="E-once-its-partner-S-has-discarded"),
        pytest.param("E", "pozzetto_seen=own_next_turn", [[], [E]], id="E-in-its-own-turn"),
        pytest.param("S", SEEN_BY_DISCARD, [[], [S]], id="S-once-its-partner-E-has-discarded"),
    ],
)
def test_H11_a_pair_when_the_partner_has_discarded(
    taker: str, seen: str, opened: list[list[int]]
) -> None:
    hands = HOLDING.replace("9h9s" if taker == "E" else "Ah3h", "Ts")
    state = state_of(
        f'Rules "classic players=3 {seen}"',
        f'Turn "{taker} play"',
        hands,
        STOCK,
        'Pozzetto "N taken"',
    )
    assert _opened(play(state, discard("Ts")), 2) == opened


def test_H11_until_then_it_is_hidden_from_its_owner() -> None:
    state = state_of(THREE, 'Turn "E play"', 'Hands "N:8h8s E:9h S:Ah3h"', BOTH, STOCK)
    after = play(state, discard("9h"))
    shown = view(after, E, 1, (0, 0, 0))
    assert (shown.hand, shown.hidden, shown.counts) == ((), 18, (2, 18, 2))
    assert shown.unopened == (False, True, False)
    opened = view(pass_turns(after, 2), E, 1, (0, 0, 0))
    assert (bag(opened.hand), opened.hidden) == (bag(parse_cards(EIGHTEEN)), 0)


def test_a_view_of_three_alone() -> None:
    state = state_of(THREE, 'Turn "E play"', MELDS)
    north, east = (view(state, seat, 1, (0, 0, 0)) for seat in (N, E))
    assert (north.partner, east.partner) == (None, None)
    assert [len(seen.my_melds) for seen in (north, east)] == [2, 1]
    assert north.their_melds == (*state.melds[E], *state.melds[S])
    assert east.their_melds == (*state.melds[N], *state.melds[S])


def test_a_view_of_a_pair_and_of_the_lone_player() -> None:
    state = state_of(
        THREE, 'Turn "E play"', 'Melds "NS: 7h7d7c, 9h9d9c E: 8h8d8c"', 'Pozzetto "E taken"'
    )
    seen = [view(state, seat, 1, (0, 0, 0)) for seat in (N, E, S)]
    assert [one.partner for one in seen] == [S, None, N]
    assert [one.side for one in seen] == [0, 1, 0]
    assert [len(one.my_melds) for one in seen] == [2, 1, 2]
    assert [len(one.their_melds) for one in seen] == [1, 2, 1]
    assert all(one.sides == (0, 1, 0) for one in seen)


def test_a_view_of_two_and_of_a_viewer() -> None:
    state = state_of(TWO, 'Turn "E play"', 'Melds "N: 7h7d7c E: 8h8d8c"')
    seen = [view(state, seat, 1, (0, 0)) for seat in (N, E, None)]
    assert [one.partner for one in seen] == [None, None, None]
    assert [one.their_melds for one in seen[:2]] == [state.melds[E], state.melds[N]]
    assert [one.counts for one in seen] == [(0, 0)] * 3
    four = start_match(MatchSetup(preset("fibur"), SEED, 0, 0, False)).match.deal
    assert four is not None
    assert [view(four, seat, 1, (0, 0)).partner for seat in range(4)] == [2, 3, 0, 1]
