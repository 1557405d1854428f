"""Play without a network: repeatable, fair to both sides, and unmoved by bots that misbehave."""

import asyncio

import pytest

from burraco.bots.misbehaving import CrashingBot, IllegalBot, SleepingBot
from burraco.bots.registry import house_bot
from burraco.bots.selfplay import compare, main, play_board, play_match
from burraco.engine import match_view, preset
from burraco.engine.events import CardDrawn, DealEnded, DealStarted
from burraco.sdk import DRAW_STOCK, Action, Bot, MatchResult, SeenEvent, View

CLASSIC = preset("classic")
SEED = bytes(range(80))


def totals(*names: str, seed: bytes = SEED) -> tuple[int, ...]:
    bots = [house_bot(name) for name in names]
    return play_match(bots, rules=CLASSIC, seed=seed, match_id="m").totals


def test_the_same_match_twice_is_the_same() -> None:
    table = ("club", "greedy", "random", "club")
    assert totals(*table) == totals(*table)
    assert totals(*table) != totals(*table, seed=SEED[::-1])


def test_a_series_is_the_same_for_the_same_seed() -> None:
    club, greedy = house_bot("club"), house_bot("greedy")
    first, again = (compare(club, greedy, rules=CLASSIC, seed=3, boards=4) for _ in range(2))
    assert (first.boards, first.low, first.high) == (again.boards, again.low, again.high)


def test_a_board_pair_is_the_same_cards_with_sides_swapped() -> None:
    one, two = play_board(house_bot("greedy"), house_bot("random"), rules=CLASSIC, seed=1, board=2)
    assert one.match.layout == two.match.layout
    assert one.match.results[0].dealer == two.match.results[0].dealer == 2


def test_equal_bots_differ_by_nothing_over_a_board_pair() -> None:
    greedy = house_bot("greedy")
    standing = compare(greedy, greedy, rules=CLASSIC, seed=5, boards=5)
    assert standing.boards == (0.0,) * 5
    assert (standing.low, standing.high) == (0.0, 0.0)


def test_a_board_pair_of_two_players_has_one_seat_for_each_bot() -> None:
    rules = CLASSIC.with_knobs(players=2)
    greedy, club = house_bot("greedy"), house_bot("club")
    one, two = play_board(greedy, club, rules=rules, seed=1, board=3)
    assert one.match.layout == two.match.layout
    assert one.match.results[0].dealer == two.match.results[0].dealer == 1
    assert len(one.decisions) == 2
    assert compare(greedy, greedy, rules=rules, seed=5, boards=3).boards == (0.0,) * 3


def test_three_players_are_no_board_pair(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["greedy", "club", "--rule", "players=3"]) == 2
    assert "a board pair swaps two sides" in capsys.readouterr().err


class Listener(Bot):
    """Draws and discards, and keeps what it was told."""

    heard: list[list[SeenEvent]]
    results: list[MatchResult]

    def decide(self, view: View) -> Action:
        self.heard[self.table.seat] += self.table.events
        return self.table.default[0]

    def end(self, result: MatchResult) -> None:
        self.results.append(result)


def test_a_seat_hears_everything_once_and_sees_only_its_own_cards() -> None:
    Listener.heard, Listener.results = [[], [], [], []], []
    played = play_match([Listener] * 4, rules=CLASSIC, seed=SEED, match_id="m")
    assert [result.totals for result in Listener.results] == [played.totals] * 4
    for seat, events in enumerate(Listener.heard):
        assert isinstance(events[0].fact, DealStarted)
        assert len(events[0].cards) == 11
        assert not any(isinstance(event.fact, DealEnded) for event in events)
        draws = [event for event in events if isinstance(event.fact, CardDrawn)]
        for draw in draws:
            assert isinstance(draw.fact, CardDrawn)
            assert bool(draw.cards) == (draw.fact.seat == seat)


def test_after_illegal_answers_the_default_is_played_and_the_table_goes_on() -> None:
    bots: list[type[Bot]] = [IllegalBot, house_bot("greedy")] * 2
    played = play_match(bots, rules=CLASSIC, seed=SEED, match_id="m")
    assert played.match.is_over
    assert played.faults[1] == played.faults[3] == 0
    assert played.faults[0] == played.decisions[0] > 0


def test_an_answer_does_not_go_on_into_the_turn_of_another_seat() -> None:
    class Overreaching(Bot):
        def decide(self, view: View) -> list[Action]:
            return [*self.table.default, DRAW_STOCK]

    bots: list[type[Bot]] = [Overreaching, house_bot("greedy")] * 2
    played = play_match(bots, rules=CLASSIC, seed=SEED, match_id="m")
    assert played.match.is_over
    assert played.faults[1] == played.faults[3] == 0
    assert played.faults[0] == played.decisions[0] > 0


async def test_the_sleeping_bot_can_be_given_up() -> None:
    match = play_match([house_bot("greedy")] * 4, rules=CLASSIC, seed=SEED, match_id="m").match
    view = match_view(match, 0)
    assert view is not None
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await SleepingBot().decide(view)


def test_the_crashing_bot_plays_for_a_while_before_it_crashes() -> None:
    class Crashed(Exception):
        pass

    class Caught(CrashingBot):
        def crash(self) -> None:
            raise Crashed

    with pytest.raises(Crashed):
        play_match([Caught] * 4, rules=CLASSIC, seed=SEED, match_id="m", deals=10)


def test_a_coroutine_may_decide() -> None:
    class Later(Bot):
        async def decide(self, view: View) -> Action:
            await asyncio.sleep(0)
            return view.legal[0]

    assert play_match([Later] * 4, rules=CLASSIC, seed=SEED, match_id="m").faults == (0,) * 4


def test_the_command_prints_difference_and_interval(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["greedy", "random", "--boards", "2", "--seed", "4", "--rules", "fibur"]) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert first.startswith("greedy - random: +")
    assert first.endswith("(2 board pairs, seed 4, fibur)")
    assert [line.split(":")[0].strip() for line in others] == ["greedy", "random"]


@pytest.mark.parametrize("wrong", [["nobody", "greedy"], ["greedy", "club", "--rules", "poker"]])
def test_the_command_says_what_is_wrong(
    wrong: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(wrong) == 2
    assert capsys.readouterr().err.startswith("no ")
