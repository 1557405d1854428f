"""How the server refuses what somebody wants of a tournament."""

from burraco.server.errors import ArenaError, Complaint


def unknown_tournament(tournament_id: str) -> ArenaError:
    """There is none of that id."""
    return ArenaError(
        Complaint.TOURNAMENT_UNKNOWN,
        "no such tournament: list them with ListTournaments",
        tournament_id=tournament_id[:64],
    )


def tournament_exists(tournament_id: str) -> ArenaError:
    """There is one of that id."""
    return ArenaError(
        Complaint.TOURNAMENT_EXISTS,
        f"a tournament {tournament_id} exists already: choose another id, or none",
        tournament_id=tournament_id,
    )


def moved_on(version: int) -> ArenaError:
    """It was decided on another version."""
    return ArenaError(
        Complaint.TOURNAMENT_MOVED_ON,
        f"the tournament is at version {version} by now: look at it again, then decide anew",
        version=str(version),
    )


def over(tournament_id: str) -> ArenaError:
    """It has ended."""
    return ArenaError(
        Complaint.TOURNAMENT_OVER,
        "the tournament is over, nothing of it can be changed: make another one",
        tournament_id=tournament_id,
    )


def damaged(tournament_id: str) -> ArenaError:
    """It was set aside."""
    return ArenaError(
        Complaint.TOURNAMENT_DAMAGED,
        "the log of this tournament is damaged: it is kept aside and goes on no more;"
        " make another one",
        tournament_id=tournament_id,
    )


def not_running() -> ArenaError:
    """It takes entries still."""
    return ArenaError(
        Complaint.TOURNAMENT_NOT_STARTED, "the tournament has not begun: start it first"
    )


def started(version: int) -> ArenaError:
    """It was started before."""
    return ArenaError(
        Complaint.TOURNAMENT_STARTED,
        "the tournament was started already: watch it, or pause it",
        version=str(version),
    )


def field_too_small() -> ArenaError:
    """Nobody meets anybody."""
    return ArenaError(
        Complaint.FIELD_TOO_SMALL,
        "these entries give no first round: enter two at least, four for an individual, exactly"
        " two for a duel, and anchors as well as others for a gauntlet",
    )


def entries_closed(why: str) -> ArenaError:
    """It takes no entries."""
    return ArenaError(Complaint.ENTRIES_CLOSED, f"{why}: enter another tournament")


def already_entered(what: str, number: int) -> ArenaError:
    """A name or a bot is in it."""
    return ArenaError(
        Complaint.ALREADY_ENTERED,
        f"{what} is in entry {number} of this tournament: choose another, or withdraw that first",
        entry=str(number),
    )


def unknown_entry(entry: int) -> ArenaError:
    """One text for an entry that is not there and for one that is not the caller's."""
    return ArenaError(
        Complaint.ENTRY_UNKNOWN,
        "no such entry, or it is not yours: look at the tournament with GetTournament",
        entry=str(entry),
    )


def no_such_table(table: int) -> ArenaError:
    """The round that is played has no such table."""
    return ArenaError(
        Complaint.NO_SUCH_TABLE,
        f"no round is played that has a table {table}: look at it with GetPairings",
        table=str(table),
    )
