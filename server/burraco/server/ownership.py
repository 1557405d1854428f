"""Whether this server still owns its store: looked at also while there is nothing to write."""

import asyncio
from collections.abc import Callable

from burraco.server.settings import OWNER_SECONDS
from burraco.server.store import Store, StoreFailed, StoreFenced


async def watch_ownership(store: Store, fenced: Callable[[StoreFenced], None]) -> None:
    """Look again and again; ``fenced`` is told once, when another server has taken over."""
    while True:
        await asyncio.sleep(OWNER_SECONDS)
        try:
            await store.require_ownership()
        except StoreFenced as found:
            fenced(found)
            return
        except StoreFailed:
            # A store that does not answer says nothing of its owner.
            continue
