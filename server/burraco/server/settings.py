"""Every number a host may want to know, in one place."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from burraco.server.tls import TlsFiles

# The longest time any clock may be set to, an hour: every match ends.
LONGEST_MS: Final = 3_600_000
MOST_RETRIES: Final = 100
MOST_DEALS: Final = 1_000
MOST_TABLES: Final = 10_000

# Of tournaments: parts, matches at once, what a deal may cost and a table be decided by, and how
# many rows and rounds none comes to.
MOST_STAGES: Final = 8
MOST_TABLES_AT_ONCE: Final = 1_000
MOST_ADJUSTED: Final = 10_000
MOST_GAIN: Final = 100_000
LARGEST_VERSION: Final = 1_000_000_000
LARGEST_ROUND: Final = 1_000_000

# Ten years, and a week.
LONGEST_LIFETIME_S: Final = 315_360_000
LONGEST_OVERLAP_S: Final = 604_800

# What clients are held to: told in Welcome.limits where it concerns bots, all of it in
# docs/limits.md. A call up to twice as large is refused in our words, a larger one by gRPC in its.
FRAME_BYTES: Final = 64 * 1024
METADATA_BYTES: Final = 4 * 1024
STREAMS: Final = 1_000
# Streams that watch one seat: each costs its table something at every act, so the newest stay.
SEAT_STREAMS: Final = 8
MATCHES: Final = 10_000
ACTS_PER_SECOND: Final = 5_000
ACTS_AT_ONCE: Final = 10_000
ILLEGAL_ACTS_PER_SECOND: Final = 50
ILLEGAL_ACTS_AT_ONCE: Final = 500
ACTIONS_PER_ACT: Final = 32
CARDS_PER_ACTION: Final = 14
OUTBOX_FRAMES: Final = 64
OUTBOX_SECONDS: Final = 5
# Frames of an outbox that wait for nobody; a longer queue, and whoever only watches, take turns.
PROMPT_FRAMES: Final = 16
WRITES_A_TURN: Final = 8
# Tables that tell a new session about its seats before anything else is done, and in each turn of
# the event loop after that.
GREETED_AT_ONCE: Final = 16
GREETINGS_A_TURN: Final = 4
# Calls that begin in one turn of the event loop.
CALLS_A_TURN: Final = 2
# Where an outbox is cut without a grace, whoever reads it: a bound for memory.
OUTBOX_MOST: Final = 4_096
# Frames a session keeps for a client that comes back.
SESSION_FRAMES: Final = 256
HELLO_MATCHES: Final = 800
NAME_CHARS: Final = 40
NOTE_CHARS: Final = 500
CLIENT_CHARS: Final = 80
ACTION_ID_CHARS: Final = 64
ID_CHARS: Final = 64
REASON_CHARS: Final = 200
# Of the texts that name a preset, a knob, a rule, or a value of one.
WORD_CHARS: Final = 80
HAND_LIMITS: Final = 16
OVERRIDES: Final = 64
PAGE_TOKEN_CHARS: Final = 200
USUAL_PAGE: Final = 50
LARGEST_PAGE: Final = 200
# Rows that one call looks through for matches that were set aside, however few it finds.
ROWS_PER_SEARCH: Final = 1_000
# Frames of one stream that wait for their table while it writes its log.
MAILBOX: Final = 256
# When a full mailbox, or a full thread for costly questions, is worth another try.
CROWDED_MS: Final = 100
BUSY_MS: Final = 1_000
# Rows that may wait for the disk before acts are refused.
WRITER_ROWS: Final = 8_192
COMMIT_ROWS: Final = 256
COMMIT_SECONDS: Final = 0.005
# Costly questions that may wait for the one thread that answers them.
SIDE_JOBS: Final = 32
# How long the database may take for one transaction before its connection is cut.
STORE_SECONDS: Final = 2.0
# The same for a server's start, which waits for those it takes matches over from.
CLAIM_SECONDS: Final = 15.0
# A commit that takes longer than this lets nobody else wait behind it.
STALL_SECONDS: Final = 1.0
# How soon a commit whose answer was lost is looked for again.
LOOK_SECONDS: Final = 0.25
# How often a server looks whether another one has taken its database over.
OWNER_SECONDS: Final = 2.0
# How soon something that the store refused is tried again.
RETRY_SECONDS: Final = 1.0
# Stopping: what is left to write, then what is left to send; together under 20 s.
FLUSH_SECONDS: Final = 8.0
STOP_SECONDS: Final = 5.0
LAG_SECONDS: Final = 0.25


@dataclass(frozen=True, slots=True)
class PlayerLimits:
    """What one player may take at once, and a second; ``…_at_once`` is how far a rate may burst."""

    streams: int = STREAMS
    matches: int = MATCHES
    acts_per_second: int = ACTS_PER_SECOND
    acts_at_once: int = ACTS_AT_ONCE
    illegal_acts_per_second: int = ILLEGAL_ACTS_PER_SECOND
    illegal_acts_at_once: int = ILLEGAL_ACTS_AT_ONCE


@dataclass(frozen=True, slots=True)
class ServeSettings:
    """What ``burraco serve`` was asked for.

    ``metrics`` None means no endpoint, ``database`` None a file in the folder,
    ``admin`` None no admin port, ``tls`` None that nothing is encrypted.
    """

    listen: str
    folder: Path
    metrics: str | None
    organiser_token: str | None
    database: str | None = None
    admin: str | None = None
    tls: TlsFiles | None = None
    limits: PlayerLimits = PlayerLimits()
