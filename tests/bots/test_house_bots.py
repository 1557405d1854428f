"""House bots: always legal, never careless, and as strong as they are said to be."""

from collections.abc import Sequence

import pytest

from burraco.bots.registry import HOUSE_BOTS, house_bot
from burraco.bots.selfplay import board_seed, compare, play_match
from burraco.engine import (
    PRESETS,
    DealState,
    IllegalAction,
    Ruleset,
    View,
    apply,
    preset,
    view,
)
from burraco.engine.cards import CARDS
from burraco.engine.state import Phase
from burraco.sdk import Action, Add, Bot, Discard, LayMeld, Table
from tests.support.blocks import state_of

PLAYERS = ("random", "greedy", "club")


class _Watched(Bot):
    """Plays as a house bot does and looks at every answer."""

    name: str
    own: Bot

    def start(self, table: Table) -> None:
        self.own = house_bot(self.name)()
        self.own.table = table
        self.own.start(table)

    def decide(self, view: View) -> Sequence[Action]:
        self.own.table = self.table
        actions = as_list(self.own.decide(view))
        if self.name != "random":
            self._check_discard(view, actions)
        return actions

    def _check_discard(self, view: View, actions: Sequence[Action]) -> None:
        last = actions[-1]
        if isinstance(last, Discard) and last.card.is_wild:
            left = list(view.hand)
            for action in actions:
                if isinstance(action, LayMeld | Add):
                    for card in action.cards:
                        left.remove(card)
            assert all(card.is_wild or card == view.barred for card in left), f"{last} of {left}"


def as_list(answer: object) -> list[Action]:
    """An answer of a house bot, which is an action or a list."""
    actions: list[Action] = []
    for action in answer if isinstance(answer, list) else [answer]:
        assert isinstance(action, Action)
        actions.append(action)
    return actions


def watched(name: str) -> type[Bot]:
    return type(f"Watched{name}", (_Watched,), {"name": name})


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
@pytest.mark.parametrize("name", PLAYERS)
def test_149_answers_are_legal_and_no_wild_is_thrown_away(name: str, rules: Ruleset) -> None:
    for number in range(6):
        bots = [watched(name), watched("random" if number % 2 else name)] * 2
        played = play_match(
            bots, rules=rules, seed=board_seed(7, number), match_id=f"m{number}", dealer=number % 4
        )
        assert played.faults == (0, 0, 0, 0)
        assert played.match.is_over


@pytest.mark.parametrize("rules", PRESETS.values(), ids=PRESETS)
@pytest.mark.parametrize("players", [2, 3])
def test_149_answers_are_legal_with_two_and_three_players(players: int, rules: Ruleset) -> None:
    for number in range(4):
        bots = [watched(PLAYERS[(number + seat) % len(PLAYERS)]) for seat in range(players)]
        played = play_match(
            bots,
            rules=rules.with_knobs(players=players),
            seed=board_seed(9, number),
            match_id=f"m{number}",
            dealer=number % players,
            deals=2,
        )
        assert played.faults == (0,) * players
        assert len(played.totals) == players
        assert played.match.is_over


def seen(state: DealState) -> View:
    return view(state, state.turn, 1, (0, 0))


def asked(name: str, state: DealState) -> list[Action]:
    """The answer of a house bot that is put at the table now."""
    bot = house_bot(name)()
    table = Table("m", state.turn, ("n", "e", "s", "w"), state.rules)
    bot.table = table
    bot.start(table)
    return as_list(bot.decide(seen(state)))


def finish_turn(name: str, state: DealState) -> DealState:
    """Let a house bot play until the turn is over; every answer must be legal."""
    seat = state.turn
    while state.end is None and state.turn == seat:
        for action in asked(name, state):
            try:
                state = apply(state, action).state
            except IllegalAction as refused:
                pytest.fail(f"{name}: {action!r} of {seen(state).hand}: {refused}")
    return state


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("cards", [1, 6, 20])
@pytest.mark.parametrize("preset_name", PRESETS)
def test_151_a_draw_that_can_be_had(name: str, cards: int, preset_name: str) -> None:
    pile = " ".join(str(CARDS[7 * place % 52]) for place in range(cards))
    state = state_of(
        f'Rules "{preset_name}"',
        'Turn "N draw"',
        'Hands "N: 5s6s9dTdQhKc E: 3h4h S: 8c9c W: KdKd"',
        f'Pile "{pile}"',
        'Stock "3cJhQd"',
    )
    (first,) = asked(name, state)
    assert first in seen(state).legal
    finish_turn(name, state)


@pytest.mark.parametrize("name", ["greedy", "club"])
def test_148_the_discard_is_chosen_from_what_the_melds_leave(name: str) -> None:
    state = state_of(
        'Turn "N play"', 'Hands "N: 5s6s7s7d2h E: 3h S: 4h W: 9c"', 'Pile ""', 'Stock "*20"'
    )
    after = finish_turn(name, state)
    (meld, *_) = after.melds[0]
    assert set(map(str, meld.cards)) >= {"5s", "6s", "7s"}
    assert [str(card) for card in after.pile] == ["7d"]


def test_club_closes_when_it_can() -> None:
    state = state_of(
        'Turn "N play"',
        'Hands "N: 9hThJhKc E: 3h S: 4d W: 9c"',
        'Melds "NS: 5h6h7h8h"',
        'Pozzetti "1:- 2:-"',
        'Pozzetto "NS taken, EW taken"',
        'Stock "*20"',
    )
    after = finish_turn("club", state)
    assert after.end is not None
    assert after.end.closer == 0


def test_club_runs_for_the_pozzetto_with_the_wild_that_it_would_keep_otherwise() -> None:
    state = state_of(
        'Turn "N play"',
        'Hands "N: 5s6s7s9d9cJk E: 3h S: 4h W: 9c"',
        'Pozzetti "1: 3c4c6dTdJdQhKhAc8c8s9s 2: 3d3d4d5d6c7cTcJcQcKcAd"',
        'Stock "*20"',
    )
    actions = asked("club", state)
    assert all(isinstance(action, LayMeld) for action in actions)
    for action in actions:
        state = apply(state, action).state
    assert state.taken == (True, False)
    assert state.turn == 0
    assert state.phase is Phase.PLAY


def test_club_does_not_dirty_a_clean_burraco() -> None:
    state = state_of(
        'Turn "N play"',
        'Hands "N: Jk9dKs4c E: 3h S: 4h W: 9c"',
        'Melds "NS: 3h4h5h6h7h8h9h"',
        'Stock "*30"',
    )
    after = finish_turn("club", state)
    assert after.melds[0][0].is_clean


def test_club_does_not_throw_the_card_that_finishes_their_burraco() -> None:
    state = state_of(
        'Turn "N play"',
        'Hands "N: 9hKcQd4s E: 3h3c3d4d S: 4h W: 9c"',
        'Melds "EW: 3h4h5h6h7h8h"',
        'Stock "*30"',
    )
    after = finish_turn("club", state)
    assert str(after.pile[-1]) != "9h"


@pytest.mark.parametrize(
    ("stronger", "weaker", "boards"), [("greedy", "random", 10), ("club", "greedy", 40)]
)
def test_149_strength_with_both_seatings_and_an_interval(
    stronger: str, weaker: str, boards: int
) -> None:
    standing = compare(
        house_bot(stronger), house_bot(weaker), rules=preset("classic"), seed=1, boards=boards
    )
    assert standing.low > 0
    assert standing.faults == (0, 0)


def test_names_of_the_house_bots() -> None:
    assert list(HOUSE_BOTS) == ["random", "greedy", "club", "illegal", "sleeping", "crashing"]
    with pytest.raises(KeyError, match="no house bot 'clubb': there are random, greedy"):
        house_bot("clubb")
