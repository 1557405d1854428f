"""Lots that anybody can draw again: what nothing else settles follows from a seed and a name."""

import hashlib
from typing import Final

_DOMAIN: Final = b"burraco/lot/v1"


def lot(seed: bytes, *names: object) -> int:
    """A number of 64 bits that the seed and the names fix, and nobody can choose."""
    digest = hashlib.sha256(_DOMAIN)
    for part in (seed, *(str(name).encode() for name in names)):
        digest.update(len(part).to_bytes(4, "big") + part)
    return int.from_bytes(digest.digest()[:8], "big")
