"""Pages of lists: how long they are, and the token that stands for where the next one begins."""

import base64
import binascii
import re
from typing import Final

from burraco.server.errors import ArenaError, invalid
from burraco.server.requests import is_match_id
from burraco.server.settings import USUAL_PAGE
from burraco.server.store import MatchRow

# What every database can compare with its own numbers.
_NUMBER: Final = re.compile(r"[0-9]{1,18}")


def page_size(asked: int) -> int:
    """How many entries a page has."""
    return asked or USUAL_PAGE


def write_page_token(place: str) -> str:
    """A token for a place in a list."""
    return base64.urlsafe_b64encode(place.encode()).decode()


def read_page_token(token: str) -> str | None:
    """The place a token stands for, None for the beginning."""
    if not token:
        return None
    try:
        return base64.urlsafe_b64decode(token.encode()).decode()
    except (ValueError, binascii.Error):
        raise no_such_page() from None


def write_number(number: int) -> str:
    """A token for a place that is a number."""
    return write_page_token(str(number))


def read_number(token: str) -> int | None:
    """The number a token stands for, None for the beginning."""
    place = read_page_token(token)
    return None if place is None else _number(place)


def write_match_place(last: MatchRow) -> str:
    """A token for the place after a match, in a list of the oldest first."""
    return write_place(last.created_ms, last.match_id)


def write_place(created_ms: int, name: str) -> str:
    """A token for the place after what was made then, in a list of the oldest first."""
    return write_page_token(f"{created_ms} {name}")


def read_match_place(token: str) -> tuple[int, str] | None:
    """When the match before a page was made, and its id; None for the beginning."""
    place = read_page_token(token)
    if place is None:
        return None
    created, _, match_id = place.partition(" ")
    if not is_match_id(match_id):
        raise no_such_page()
    return _number(created), match_id


def _number(text: str) -> int:
    if not _NUMBER.fullmatch(text):
        raise no_such_page()
    return int(text)


def no_such_page() -> ArenaError:
    """The refusal of a token that this server did not make."""
    return invalid("page_token", "give back the next_page_token of the last response")
