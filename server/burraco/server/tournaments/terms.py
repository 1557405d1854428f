"""What the matches of a tournament are played by, kept with its log as text."""

import json
from dataclasses import asdict, dataclass

from burraco.server.journal import clocks_of, faults_of
from burraco.server.terms import ClockTerms, FaultTerms


@dataclass(frozen=True, slots=True)
class Terms:
    """Clocks and faults of every match, and how many matches are played at once."""

    clocks: ClockTerms
    faults: FaultTerms
    tables_at_once: int


def terms_to_text(terms: Terms) -> str:
    """Terms as JSON; equal terms give equal bytes."""
    return json.dumps(asdict(terms), separators=(",", ":"))


def terms_from_text(text: str) -> Terms:
    """Terms as ``terms_to_text`` wrote them; ``KeyError`` or ``ValueError`` when not whole."""
    fields = json.loads(text)
    return Terms(clocks_of(fields["clocks"]), faults_of(fields["faults"]), fields["tables_at_once"])
