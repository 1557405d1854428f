"""``burraco-deal-v1``: from a seed to a dealt pack, the same on every machine (docs/deals.md)."""

import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Final, NamedTuple

from burraco.engine.cards import EMPTY, PACK, PACK_SIZE, Card, bag
from burraco.engine.errors import IllegalAction, Reason, Unreadable
from burraco.engine.nearest import nearest_cut
from burraco.engine.rules import (
    CUT_LARGEST,
    CUT_SMALLEST,
    HAND_SIZE,
    POZZETTO_SIZE,
    SEATS,
    Ruleset,
)
from burraco.engine.seating import rank_players, seats_from_ranking
from burraco.engine.state import NO_CARD, DealState, Layout, Phase, left_of

SEED_SIZE: Final = 80
NONCE_LIMIT: Final = 64
_WORDS_AT_ONCE: Final = 256


class Seed(NamedTuple):
    """What fixes every deal of a match: the server's 80 bytes and the mix of the seats' nonces."""

    secret: bytes
    mix: bytes


def commitment(match_id: str, rules: Ruleset, secret: bytes) -> bytes:
    """SHA-256 published before any seat speaks; it binds match, rules and seed."""
    name = match_id.encode()
    return hashlib.sha256(
        b"burraco/commit/v1" + len(name).to_bytes(4, "big") + name + rules.content_hash + secret
    ).digest()


def mix_nonces(nonces: Sequence[bytes]) -> bytes:
    """One value from the four seats' nonces, N E S W; a seat that adds none gives empty bytes."""
    if len(nonces) != SEATS or any(len(nonce) > NONCE_LIMIT for nonce in nonces):
        raise Unreadable(f"four nonces of at most {NONCE_LIMIT} bytes, one a seat")
    framed = b"".join(len(nonce).to_bytes(1, "big") + nonce for nonce in nonces)
    return hashlib.sha256(b"burraco/mix/v1" + framed).digest()


class Stream:
    """SHAKE-256 read as big-endian 32-bit words; ``below`` draws by rejection, without bias."""

    def __init__(self, label: bytes, seed: Seed, number: int) -> None:
        self._shake = hashlib.shake_256(label + seed.secret + seed.mix + number.to_bytes(4, "big"))
        self._words: bytes = b""
        self._at = 0

    @classmethod
    def of_words(cls, words: Sequence[int]) -> "Stream":
        """A stream of given words, for test vectors that force rejections."""
        stream = cls(b"", Seed(b"", b""), 0)
        stream._words = b"".join(word.to_bytes(4, "big") for word in words)
        return stream

    def word(self) -> int:
        """The next word."""
        if self._at + 4 > len(self._words):
            self._words = self._shake.digest(len(self._words) + 4 * _WORDS_AT_ONCE)
        word = int.from_bytes(self._words[self._at : self._at + 4], "big")
        self._at += 4
        return word

    def below(self, limit: int) -> int:
        """A uniform number from 0 to ``limit - 1``."""
        ceiling = (1 << 32) - (1 << 32) % limit
        while True:
            word = self.word()
            if word < ceiling:
                return word % limit


def shuffle(stream: Stream) -> tuple[Card, ...]:
    """Fisher-Yates over the pack in canonical order (``cards.PACK``), from the last place down."""
    pack = list(PACK)
    for last in range(PACK_SIZE - 1, 0, -1):
        other = stream.below(last + 1)
        pack[last], pack[other] = pack[other], pack[last]
    return tuple(pack)


def shuffled(seed: Seed, deal: int) -> tuple[tuple[Card, ...], int]:
    """The pack of deal ``deal`` (from 1), its top first, and the cut of the same stream (R19)."""
    if len(seed.secret) != SEED_SIZE:
        raise Unreadable(f"a seed has {SEED_SIZE} bytes, not {len(seed.secret)}")
    stream = Stream(b"burraco/deal/v1", seed, deal)
    pack = shuffle(stream)
    return pack, CUT_SMALLEST + stream.below(CUT_LARGEST - CUT_SMALLEST + 1)


def draw_seats(seed: Seed, rules: Ruleset) -> tuple[int, ...]:
    """The player (0 to 3 in order of entry) at each seat, the lowest dealing from West (R12-R16).

    The cards come off a pack shuffled for the purpose; whoever draws again takes the next one.
    """
    pack = iter(shuffle(Stream(b"burraco/seats/v1", seed, 0)))
    first = [next(pack) for _ in range(SEATS)]
    ranking = rank_players(first, lambda _player: next(pack), rules.suit_order)
    return seats_from_ranking(ranking, SEATS - 1)


def first_dealer(seed: Seed) -> int:
    """Who deals first where seats were given and not drawn."""
    return Stream(b"burraco/dealer/v1", seed, 0).below(SEATS)


def check_cut(size: int) -> None:
    """Refuse a cut that lifts too few cards or leaves too few (R19)."""
    if not CUT_SMALLEST <= size <= CUT_LARGEST:
        refused = IllegalAction(
            Reason.CUT_OUT_OF_RANGE,
            "R19",
            cut=str(size),
            smallest=str(CUT_SMALLEST),
            largest=str(CUT_LARGEST),
        )
        refused.offer(partial(nearest_cut, size))
        raise refused


def lay_out(pack: Sequence[Card], cut: int, dealer: int) -> Layout:
    """Deal a shuffled pack after a cut of ``cut`` cards, 0 for rules without one (R18 to R25)."""
    if sorted(pack) != sorted(PACK):
        raise Unreadable("a pack is two of each card and four jokers, 108 in all")
    if cut:
        check_cut(cut)
    first = left_of(dealer)
    hands: list[list[Card]] = [[] for _ in range(SEATS)]
    for at in range(SEATS * HAND_SIZE):
        hands[(first + at) % SEATS].append(_at(pack, cut + at))
    pozzetti: list[list[Card]] = [[], []]
    for at in range(2 * POZZETTO_SIZE):
        pozzetti[at % 2].append(_at(pack, cut - 1 - at))
    upcard = cut + SEATS * HAND_SIZE
    left = PACK_SIZE - SEATS * HAND_SIZE - 1 - 2 * POZZETTO_SIZE
    return Layout(
        hands=tuple(map(tuple, hands)),
        pozzetti=tuple(map(tuple, pozzetti)),
        upcard=_at(pack, upcard),
        stock=tuple(_at(pack, upcard + 1 + at) for at in range(left)),
    )


def _at(pack: Sequence[Card], place: int) -> Card:
    return pack[place % PACK_SIZE]


def open_deal(rules: Ruleset, dealer: int, layout: Layout) -> DealState:
    """The state in which the player at the dealer's left begins (R42)."""
    return DealState(
        rules=rules,
        dealer=dealer,
        turn=left_of(dealer),
        phase=Phase.DRAW,
        hands=tuple(bag(hand) for hand in layout.hands),
        melds=((), ()),
        pile=(layout.upcard,),
        stock=layout.stock,
        pozzetti=tuple(bag(pozzetto) for pozzetto in layout.pozzetti),
        taken=(False, False),
        unopened=(EMPTY,) * SEATS,
        drawn=NO_CARD,
        barred=NO_CARD,
        must_meld=False,
        idle=False,
        passive=0,
        last_turn=False,
        end=None,
    )
