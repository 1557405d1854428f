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

# Ten years, and a week.
LONGEST_LIFETIME_S: Final = 315_360_000
LONGEST_OVERLAP_S: Final = 604_800

FRAME_BYTES: Final = 64 * 1024
METADATA_BYTES: Final = 4 * 1024
ACTIONS_PER_ACT: Final = 32
CARDS_PER_ACTION: Final = 14
OUTBOX_FRAMES: Final = 64
OUTBOX_SECONDS: Final = 5
# Where an outbox is cut without a grace, whoever reads it: a bound for memory.
OUTBOX_MOST: Final = 4_096
# Frames a session keeps for a client that comes back.
SESSION_FRAMES: Final = 256
NOTE_CHARS: Final = 500
CLIENT_CHARS: Final = 80
ACTION_ID_CHARS: Final = 64
REASON_CHARS: Final = 200
# Frames of one stream that wait for their table while it writes its log.
MAILBOX: Final = 256
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
# How soon something that the store refused is tried again.
RETRY_SECONDS: Final = 1.0
# Stopping: what is left to write, then what is left to send; together under 20 s.
FLUSH_SECONDS: Final = 8.0
STOP_SECONDS: Final = 5.0
LAG_SECONDS: Final = 0.25


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
