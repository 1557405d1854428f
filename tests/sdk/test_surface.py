"""The public names of the SDK: growing them is a decision."""

import burraco.sdk

NAMES = """
DRAW_STOCK JOKER TAKE_PILE Action Add Answer Bot BotCrashed BotNotFound Breach Card CardTracker
ClientFailed Clocks ContractBroken Cut Discard DrawStock DuelDecision DuelQuestion Fault Faults
Grade IllegalAnswer Kind LayMeld LogDamaged MatchEnd MatchResult MatchState MatchSummary Meld
OnError Organiser OrganiserFailed OwnerReturn Phase Place PlayOptions PlayPlan Refusal Ruleset
SeatEnd SeatResult SeenEvent Standings Table TakePile Tournament TournamentEntry TournamentFormat
TournamentHalf TournamentLogRow TournamentMovedOn TournamentOver TournamentPlace TournamentPlan
TournamentRound TournamentStage TournamentStatus TournamentTable TournamentUnknown Tournaments View
Watched WatchedTournament WrongUsage bag classify load_bot parse_cards play_bot preset run_bot
show_cards
"""


def test_the_public_names() -> None:
    assert burraco.sdk.__all__ == NAMES.split()
    assert all(hasattr(burraco.sdk, name) for name in burraco.sdk.__all__)


def test_no_public_name_is_a_message() -> None:
    for name in burraco.sdk.__all__:
        module = getattr(getattr(burraco.sdk, name), "__module__", "")
        assert not str(module).startswith("burraco.v1"), name
