"""The page on deals once more: from a seed to cards, written from docs/deals.md and nothing else.

``python -m tests.support.deal_page`` prints the vectors of docs/deal-vectors.json.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import suppress

RANKS = "A23456789TJQK"
SEATS = "NESW"
DRAW_ORDER = "2AKQJT9876543"
PACK = [rank + suit for suit in "shdc" for rank in RANKS] * 2 + ["Jk"] * 4
CLASSIC = (
    "suit_order=shdc physical_cut=True pile_requires_meld=False rediscard_single=allow "
    "set_ranks=A3456789TJQK second_set_of_rank=True two_two_joker=True "
    "pozzetto_seen=own_next_turn close_needs=any stock_end=at_once stalemate_turns=8 "
    "semiclean_bonus=0 semiclean_set=exactly_8 clean_bonus=200 dirty_bonus=100 "
    "closing_bonus=100 no_pozzetto_penalty=100 no_pozzetto_waived_if_none=False target=2000 "
    "deals=0"
)


class Words:
    """Big-endian words, one after the other; a number below a limit by rejection."""

    def __init__(self, words: Iterator[int]) -> None:
        self._words = words

    @classmethod
    def of(cls, label: bytes, secret: bytes, mix: bytes, number: int) -> "Words":
        shaken = hashlib.shake_256(label + secret + mix + number.to_bytes(4, "big")).digest(8000)
        return cls(int.from_bytes(shaken[at : at + 4], "big") for at in range(0, 8000, 4))

    def below(self, limit: int) -> int:
        fair = 2**32 // limit * limit
        return next(word for word in self._words if word < fair) % limit


def rules_hash(knobs: str) -> bytes:
    lines = "".join(f"{knob}\n" for knob in knobs.split())
    return hashlib.sha256(b"burraco/rules/v1\n" + lines.encode()).digest()


def commitment_of(match_id: str, ruleset_hash: bytes, secret: bytes) -> bytes:
    named = match_id.encode()
    parts = (b"burraco/commit/v1", len(named).to_bytes(4, "big"), named, ruleset_hash, secret)
    return hashlib.sha256(b"".join(parts)).digest()


def mix_of(nonces: Sequence[bytes]) -> bytes:
    parts = b"".join(bytes([len(nonce)]) + nonce for nonce in nonces)
    return hashlib.sha256(b"burraco/mix/v1" + parts).digest()


def fisher_yates(words: Words) -> list[str]:
    pack = list(PACK)
    for last in range(107, 0, -1):
        other = words.below(last + 1)
        pack[last], pack[other] = pack[other], pack[last]
    return pack


def pack_and_cut(secret: bytes, mix: bytes, deal: int) -> tuple[list[str], int]:
    words = Words.of(b"burraco/deal/v1", secret, mix, deal)
    return fisher_yates(words), 22 + words.below(42)


def deal_tag(pack: Sequence[str], cut: int, dealer: int) -> str:
    """Turned so that the cut comes first, hands are dealt from the top, pozzetti off the bottom."""
    turned = [*pack[cut:], *pack[:cut]]
    hands = {(dealer + 1 + first) % 4: turned[first:44:4] for first in range(4)}
    bottom = turned[::-1]
    piles = [f"{SEATS[seat]}:{''.join(hands[seat])}" for seat in range(4)]
    piles += [f"P1:{''.join(bottom[0:22:2])}", f"P2:{''.join(bottom[1:22:2])}"]
    return " ".join([*piles, f"U:{turned[44]}", f"K:{''.join(turned[45:-22])}"])


def seats_drawn(secret: bytes, mix: bytes, suits: str) -> tuple[list[str], tuple[int, ...]]:
    """The cards that came off, and the player at N, E, S and W."""
    pack = iter(fisher_yates(Words.of(b"burraco/seats/v1", secret, mix, 0)))
    drawn: list[str] = []

    def draw() -> int:
        drawn.append(next(pack))
        return _strength(drawn[-1], suits)

    held = [[draw()] for _ in range(4)]
    while True:
        tied = [strengths for strengths in held if held.count(strengths) > 1]
        if not tied:
            break
        highest = list(max(tied))
        for strengths in held:
            if strengths == highest:
                strengths.append(draw())
    a, b, c, d = sorted(range(4), key=held.__getitem__, reverse=True)
    return drawn, (a, c, b, d)


def _strength(card: str, suits: str) -> int:
    if card == "Jk":
        return 52
    return 51 - DRAW_ORDER.index(card[0]) * 4 - suits.index(card[1])


def first_dealer_of(secret: bytes, mix: bytes) -> int:
    return Words.of(b"burraco/dealer/v1", secret, mix, 0).below(4)


Vectors = dict[str, object]


def vectors() -> Vectors:
    """Everything that docs/deal-vectors.json holds."""
    return {
        "scheme": "burraco-deal-v1",
        "pack": hashlib.sha256("".join(PACK).encode()).hexdigest(),
        "rules_hash": {"classic": rules_hash(CLASSIC).hex()},
        "seeds": [_seed_vector(secret, nonces) for secret, nonces in _seeds()],
        "numbers": [_numbers(limit) for limit in (3, 7, 42, 43, 64, 101, 107, 108)],
    }


def _seeds() -> Iterator[tuple[bytes, tuple[bytes, ...]]]:
    yield bytes(80), (b"",) * 4
    yield bytes(range(80)), (b"north", b"", b"south", bytes(64))
    yield b"\xff" * 80, (b"\x00", b"\x00\x00", b"", b"\xff" * 63)
    # In the draw for seats a pair draws again, then two pairs, then a pair that ties once more.
    for number in (4, 887, 2107):
        secret = b"burraco deal vector" + number.to_bytes(4, "big")
        yield hashlib.shake_256(secret).digest(80), (b"",) * 4


def _seed_vector(secret: bytes, nonces: Sequence[bytes]) -> Vectors:
    mix = mix_of(nonces)
    drawn, players = seats_drawn(secret, mix, "shdc")
    dealer = first_dealer_of(secret, mix)
    pack, cut = pack_and_cut(secret, mix, 1)
    return {
        "seed": secret.hex(),
        "nonces": [nonce.hex() for nonce in nonces],
        "mix": mix.hex(),
        "commitment": {
            match_id: commitment_of(match_id, rules_hash(CLASSIC), secret).hex()
            for match_id in ("m-1", "partita-è")
        },
        "deals": [_deal_vector(secret, mix, deal) for deal in (1, 2, 3, 255, 256, 65_536)],
        "first_dealer": SEATS[dealer],
        "dealt": {
            "deal": 1,
            "cut": deal_tag(pack, cut, dealer),
            "no_cut": deal_tag(pack, 0, dealer),
        },
        "seats": {"suit_order": "shdc", "drawn": "".join(drawn), "players": list(players)},
    }


def _deal_vector(secret: bytes, mix: bytes, deal: int) -> Vectors:
    pack, cut = pack_and_cut(secret, mix, deal)
    digest = hashlib.sha256("".join(pack).encode()).hexdigest()
    return {"deal": deal, "first": "".join(pack[:8]), "sha256": digest, "cut": cut}


def _numbers(limit: int) -> Vectors:
    """Forged words around the last multiple of a limit, and the numbers they give."""
    fair = 2**32 // limit * limit
    words = [2**32 - 1, fair - 1, min(fair, 2**32 - 1), 0, limit, fair - limit, limit - 1, 2**31]
    stream, numbers = Words(iter(words)), list[int]()
    with suppress(StopIteration):
        while True:
            numbers.append(stream.below(limit))
    return {"below": limit, "words": [f"{word:08x}" for word in words], "numbers": numbers}


if __name__ == "__main__":
    print(json.dumps(vectors(), indent=1, ensure_ascii=True))
