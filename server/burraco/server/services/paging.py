"""Pages of lists: how long they are, and the token that stands for where the next one begins."""

import base64
import binascii
from typing import Final

from burraco.server.errors import ArenaError, invalid
from burraco.server.requests import is_ascii_line

_USUAL: Final = 50
_LARGEST: Final = 200
_TOKEN_CHARS: Final = 200


def page_size(asked: int) -> int:
    """How many entries a page has."""
    if asked > _LARGEST:
        raise invalid("page_size", f"at most {_LARGEST}")
    return asked or _USUAL


def write_page_token(place: str) -> str:
    """A token for a place in a list."""
    return base64.urlsafe_b64encode(place.encode()).decode()


def read_page_token(token: str) -> str | None:
    """The place a token stands for, None for the beginning."""
    if not token:
        return None
    if len(token) > _TOKEN_CHARS or not is_ascii_line(token):
        raise no_such_page()
    try:
        return base64.urlsafe_b64decode(token.encode()).decode()
    except (ValueError, binascii.Error):
        raise no_such_page() from None


def no_such_page() -> ArenaError:
    """The refusal of a token that this server did not make."""
    return invalid("page_token", "give back the next_page_token of the last response")
