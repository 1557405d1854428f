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
    "deals=0 players=4"
)
# The sizes of the pozzetti that there may be, by number of players.
POZZETTI = {2: ((11, 11),), 3: ((18, 11), (11, 11, 11)), 4: ((11, 11),)}


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


def pack_and_cut(
    secret: bytes, mix: bytes, deal: int, sizes: Sequence[int] = (11, 11)
) -> tuple[list[str], int]:
    words = Words.of(b"burraco/deal/v1", secret, mix, deal)
    return fisher_yates(words), sum(sizes) + words.below(64 - sum(sizes))


def deal_tag(
    pack: Sequence[str], cut: int, dealer: int, players: int = 4, sizes: Sequence[int] = (11, 11)
) -> str:
    """Turned so that the cut comes first, hands are dealt from the top, pozzetti off the bottom."""
    turned = [*pack[cut:], *pack[:cut]]
    dealt = 11 * players
    hands = {
        (dealer + 1 + first) % players: turned[first:dealt:players] for first in range(players)
    }
    piles = [f"{SEATS[seat]}:{''.join(hands[seat])}" for seat in range(players)]
    bottom = _pozzetti(turned[::-1], sizes)
    piles += [f"P{number}:{''.join(pozzetto)}" for number, pozzetto in enumerate(bottom, 1)]
    stock = turned[dealt + 1 : 108 - sum(sizes)]
    return " ".join([*piles, f"U:{turned[dealt]}", f"K:{''.join(stock)}"])


def _pozzetti(bottom: Sequence[str], sizes: Sequence[int]) -> list[list[str]]:
    """One card to each in turn; one that is full is passed over (H3)."""
    cards, pozzetti = iter(bottom), [list[str]() for _ in sizes]
    while any(len(pozzetto) < size for pozzetto, size in zip(pozzetti, sizes, strict=True)):
        for pozzetto, size in zip(pozzetti, sizes, strict=True):
            if len(pozzetto) < size:
                pozzetto.append(next(cards))
    return pozzetti


def seats_drawn(
    secret: bytes, mix: bytes, suits: str, players: int = 4
) -> tuple[list[str], tuple[int, ...]]:
    """The cards that came off, and the player at N, E, S and W as far as there are seats."""
    pack = iter(fisher_yates(Words.of(b"burraco/seats/v1", secret, mix, 0)))
    drawn: list[str] = []

    def draw() -> int:
        drawn.append(next(pack))
        return _strength(drawn[-1], suits)

    held = [[draw()] for _ in range(players)]
    while True:
        tied = [strengths for strengths in held if held.count(strengths) > 1]
        if not tied:
            break
        highest = list(max(tied))
        for strengths in held:
            if strengths == highest:
                strengths.append(draw())
    ranked = sorted(range(players), key=held.__getitem__, reverse=True)
    if players < 4:
        return drawn, tuple(ranked)
    a, b, c, d = ranked
    return drawn, (a, c, b, d)


def _strength(card: str, suits: str) -> int:
    if card == "Jk":
        return 52
    return 51 - DRAW_ORDER.index(card[0]) * 4 - suits.index(card[1])


def first_dealer_of(secret: bytes, mix: bytes, players: int = 4) -> int:
    return Words.of(b"burraco/dealer/v1", secret, mix, 0).below(players)


Vectors = dict[str, object]


def vectors() -> Vectors:
    """Everything that docs/deal-vectors.json holds."""
    return {
        "scheme": "burraco-deal-v1",
        "pack": hashlib.sha256("".join(PACK).encode()).hexdigest(),
        "rules_hash": {"classic": rules_hash(CLASSIC).hex()}
        | {f"classic players={players}": _classic_hash(players).hex() for players in (2, 3)},
        "seeds": [_seed_vector(secret, nonces) for secret, nonces in _seeds()],
        "numbers": [_numbers(limit) for limit in (3, 7, 42, 43, 64, 101, 107, 108)],
    }


def _classic_hash(players: int) -> bytes:
    knobs = CLASSIC.replace("players=4", f"players={players}")
    return rules_hash(knobs.replace("target=2000", "target=1505") if players == 3 else knobs)


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
        "fewer": [_fewer_vector(secret, nonces[:players]) for players in (2, 3)],
    }


def _fewer_vector(secret: bytes, nonces: Sequence[bytes]) -> Vectors:
    """The same seed with two or three players."""
    players, mix = len(nonces), mix_of(nonces)
    drawn, seats = seats_drawn(secret, mix, "shdc", players)
    dealer = first_dealer_of(secret, mix, players)
    return {
        "players": players,
        "mix": mix.hex(),
        "first_dealer": SEATS[dealer],
        "dealt": [
            _dealt_vector(secret, mix, dealer, players, sizes) for sizes in POZZETTI[players]
        ],
        "seats": {"suit_order": "shdc", "drawn": "".join(drawn), "players": list(seats)},
    }


def _dealt_vector(
    secret: bytes, mix: bytes, dealer: int, players: int, sizes: Sequence[int]
) -> Vectors:
    pack, cut = pack_and_cut(secret, mix, 1, sizes)
    return {
        "deal": 1,
        "pozzetti": list(sizes),
        "lifted": cut,
        "cut": deal_tag(pack, cut, dealer, players, sizes),
        "no_cut": deal_tag(pack, 0, dealer, players, sizes),
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
