"""Card counting (reported faults, 152)."""

from collections import Counter
from collections.abc import Sequence

from burraco.bots.registry import house_bot
from burraco.bots.selfplay import play_match
from burraco.engine.events import CardDiscarded, DealStarted, Fact, MeldLaid, PileTaken, SeenEvent
from burraco.sdk import Action, Bot, Card, CardTracker, View, parse_cards, preset, show_cards


def told(tracker: CardTracker, fact: Fact) -> str:
    tracker.observe(SeenEvent(fact, ()))
    return show_cards(tracker.known(1), " ")


def test_152_known_cards_of_a_seat_that_took_the_pile() -> None:
    tracker = CardTracker()
    pile, laid = parse_cards("4c 9h Kd"), parse_cards("8h 9h Th")
    assert set(told(tracker, PileTaken(1, pile)).split()) == {"4c", "9h", "Kd"}
    assert set(told(tracker, MeldLaid(1, 0, laid)).split()) == {"4c", "Kd"}
    assert told(tracker, CardDiscarded(1, Card.parse("4c"))) == "Kd"
    assert tracker.known_count(1, Card.parse("Kd")) == 1
    assert told(tracker, DealStarted(2, 0, Card.parse("5c"))) == ""


def test_a_card_taken_again_after_missed_events_is_not_counted_three_times() -> None:
    tracker = CardTracker()
    for _ in range(3):
        tracker.observe(SeenEvent(PileTaken(2, parse_cards("4c")), ()))
    assert tracker.known(2) == parse_cards("4c 4c")


class Counting(Bot):
    """Checks at every decision that no card is counted twice."""

    def __init__(self) -> None:
        self._tracker = CardTracker()
        self._player = house_bot("greedy")()

    def decide(self, view: View) -> Action | Sequence[Action]:
        for event in self.table.events:
            self._tracker.observe(event)
        assert view.seat is not None
        counted = Counter(view.hand) + Counter(view.pile) + Counter(self._tracker.unseen(view))
        for side in view.melds:
            for meld in side:
                counted += Counter(meld.cards)
        for seat in range(4):
            if seat != view.seat:
                assert len(self._tracker.known(seat)) <= view.counts[seat]
                counted += Counter(self._tracker.known(seat))
        assert counted.total() == 108
        assert all(copies <= (4 if card.points == 30 else 2) for card, copies in counted.items())
        answer = self._player.decide(view)
        assert isinstance(answer, Action)
        return answer


def test_152_every_card_is_counted_once_over_whole_deals() -> None:
    for number in range(5):
        played = play_match(
            [Counting] * 4, rules=preset("classic"), seed=bytes([number]) * 80, match_id="m"
        )
        assert played.faults == (0, 0, 0, 0)
