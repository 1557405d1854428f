"""Who may enter what: entries as callers wish for them, held against those that are there."""

from burraco.server.credentials import Caller, Scope
from burraco.server.errors import ArenaError, Complaint, invalid
from burraco.server.settings import NAME_CHARS
from burraco.server.tokens import Tokens
from burraco.server.tournaments.refusals import already_entered, entries_closed
from burraco.tournament.field import TAKE_LATE_ENTRIES, Entry, Format
from burraco.tournament.plan import MOST_ENTRIES
from burraco.tournament.progress import Progress, Status
from burraco.v1 import tournament_service_pb2


def entry_of(
    request: tournament_service_pb2.EnterTournamentRequest, caller: Caller, tokens: Tokens
) -> Entry:
    """An entry as the caller wishes it, still without its number."""
    bots = tuple(request.bots) or (caller.name,)
    if Scope.ORGANISE not in caller.scopes:
        _require_own(request, bots, caller)
    for place, bot in enumerate(bots):
        if not tokens.is_player(bot):
            raise ArenaError(
                Complaint.PLAYER_UNKNOWN,
                f"bots[{place}]: no bot {bot} is registered: register it first",
                field=f"bots[{place}]",
                player=bot,
            )
    if len(set(bots)) < len(bots):
        raise invalid("bots", "a bot that holds both seats is named once")
    name = request.name or "+".join(bots)
    if len(name) > NAME_CHARS:
        raise invalid("name", f"that of the bots is longer than {NAME_CHARS}: choose one")
    return Entry(0, name, request.owner or bots[0], bots, request.is_anchor)


def known_entry(progress: Progress, wished: Entry) -> Entry | None:
    """The entry that was made by the same wish, where there is one that plays on."""
    for entry in progress.entries:
        is_same = (entry.name, entry.owner, entry.bots, entry.is_anchor) == (
            wished.name,
            wished.owner,
            wished.bots,
            wished.is_anchor,
        )
        if is_same and entry.number not in progress.left:
            return entry
    return None


def why_no_entry(progress: Progress, wished: Entry) -> ArenaError | None:
    """Why a tournament cannot take an entry, None where it can."""
    if not _is_open(progress):
        return entries_closed("the tournament has begun, and takes no late entries")
    if len(progress.entries) >= MOST_ENTRIES:
        return entries_closed(f"it has {MOST_ENTRIES} entries, and takes no more")
    alone = progress.plan.rules.players < 4 or _changes_partners(progress)
    if alone and len(wished.bots) > 1:
        return invalid("bots", "one bot is an entry here, since partners change or there are none")
    for entry in progress.entries:
        if entry.name == wished.name:
            return already_entered(f"the name {entry.name}", entry.number)
        for bot in wished.bots:
            if bot in entry.bots:
                return already_entered(f"the bot {bot}", entry.number)
    return None


def _require_own(
    request: tournament_service_pb2.EnterTournamentRequest,
    bots: tuple[str, ...],
    caller: Caller,
) -> None:
    """A player enters itself; whatever else is said of entries, organisers say."""
    if bots == (caller.name,) and request.owner in ("", caller.name) and not request.is_anchor:
        return
    raise ArenaError(
        Complaint.SCOPE_MISSING,
        "a player enters itself, under its own name as owner and not as an anchor: ask an organiser"
        " for anything else",
        scope=Scope.ORGANISE.value,
    )


def _is_open(progress: Progress) -> bool:
    """Whether all stages that are still to be played take whoever comes late."""
    if progress.status is Status.OPEN:
        return True
    stage = progress.played[-1].stage if progress.played else 0
    if progress.current is not None:
        stage = progress.current.stage
    return all(left.format in TAKE_LATE_ENTRIES for left in progress.plan.stages[stage:])


def _changes_partners(progress: Progress) -> bool:
    return any(stage.format is Format.INDIVIDUAL for stage in progress.plan.stages)
