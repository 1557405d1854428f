"""``burraco-deal-v1``: from a seed to a dealt pack, the same on every machine (docs/deals.md)."""

import hashlib
import struct
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from burraco.engine.cards import (
    CARDS,
    EMPTY,
    JOKER,
    PACK,
    PACK_SIZE,
    RANK_COUNT,
    SUITS_COUNT,
    Card,
    bag,
)
from burraco.engine.errors import IllegalAction, Reason, Unreadable
from burraco.engine.nearest import nearest_cut
from burraco.engine.rules import (
    CUT_LARGEST,
    CUT_SMALLEST,
    HAND_SIZE,
    POZZETTO_SIZE,
    SEATS,
    SIDES_AS_DEALT,
    Ruleset,
)
from burraco.engine.seating import rank_players, seats_from_ranking
from burraco.engine.state import NO_CARD, DealState, Layout, Phase, left_of

SEED_SIZE: Final = 80
NONCE_LIMIT: Final = 64
SUITS_AS_THEY_ARE: Final = (0, 1, 2, 3)
_WORDS_AT_ONCE: Final = 256


class Seed(NamedTuple):
    """What fixes every deal of a match: the server's 80 bytes and the mix of the seats' nonces.

    ``suits`` is what spades, hearts, diamonds and clubs become once the pack is shuffled, so that
    nobody knows a deal again; the rules treat all suits alike.
    """

    secret: bytes
    mix: bytes
    suits: tuple[int, ...] = SUITS_AS_THEY_ARE


def commitment(match_id: str, rules: Ruleset, secret: bytes) -> bytes:
    """SHA-256 published before any seat speaks; it binds match, rules and seed."""
    name = match_id.encode()
    return hashlib.sha256(
        b"burraco/commit/v1" + len(name).to_bytes(4, "big") + name + rules.content_hash + secret
    ).digest()


def mix_nonces(nonces: Sequence[bytes]) -> bytes:
    """One value from the players' nonces, in order; a player that adds none gives empty bytes."""
    if len(nonces) not in SIDES_AS_DEALT or any(len(nonce) > NONCE_LIMIT for nonce in nonces):
        raise Unreadable(f"two to four nonces of at most {NONCE_LIMIT} bytes, one a player")
    framed = b"".join(len(nonce).to_bytes(1, "big") + nonce for nonce in nonces)
    return hashlib.sha256(b"burraco/mix/v1" + framed).digest()


class Stream:
    """SHAKE-256 read as big-endian 32-bit words; ``below`` draws by rejection, without bias."""

    def __init__(self, label: bytes, seed: Seed, number: int) -> None:
        self._shake = hashlib.shake_256(label + seed.secret + seed.mix + number.to_bytes(4, "big"))
        self._words: Sequence[int] = ()
        self._at = 0

    @classmethod
    def of_words(cls, words: Sequence[int]) -> "Stream":
        """A stream of given words, for test vectors that force rejections."""
        stream = cls(b"", Seed(b"", b""), 0)
        stream._words = words
        return stream

    def word(self) -> int:
        """The next word."""
        if self._at == len(self._words):
            words = self._at + _WORDS_AT_ONCE
            self._words = struct.unpack(f">{words}I", self._shake.digest(4 * words))
        self._at += 1
        return self._words[self._at - 1]

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


def in_suits(pack: Sequence[Card], suits: Sequence[int]) -> tuple[Card, ...]:
    """A pack with its suits exchanged; jokers stay.

    ``suits`` says what each of spades, hearts, diamonds and clubs becomes.
    """
    assert sorted(suits) == list(range(SUITS_COUNT)), "suits are exchanged, none is lost"
    return tuple(
        card if card == JOKER else CARDS[suits[card.suit] * RANK_COUNT + card.rank] for card in pack
    )


def shuffled(
    seed: Seed, deal: int, smallest_cut: int = CUT_SMALLEST
) -> tuple[tuple[Card, ...], int]:
    """The pack of deal ``deal`` (from 1), its top first, and the cut of the same stream (R19).

    The cut lifts ``smallest_cut`` cards or more: ``smallest_cut_for`` says how many (H4).
    """
    if len(seed.secret) != SEED_SIZE:
        raise Unreadable(f"a seed has {SEED_SIZE} bytes, not {len(seed.secret)}")
    stream = Stream(b"burraco/deal/v1", seed, deal)
    pack = shuffle(stream)
    if seed.suits != SUITS_AS_THEY_ARE:
        pack = in_suits(pack, seed.suits)
    return pack, smallest_cut + stream.below(CUT_LARGEST - smallest_cut + 1)


def draw_seats(seed: Seed, rules: Ruleset) -> tuple[int, ...]:
    """The player (from 0 in order of entry) at each seat, the lowest dealing from the last seat.

    The cards come off a pack shuffled for the purpose, and whoever draws again takes the next one
    (R12 to R16, H2).
    """
    pack = iter(shuffle(Stream(b"burraco/seats/v1", seed, 0)))
    first = [next(pack) for _ in range(rules.players)]
    ranking = rank_players(first, lambda _player: next(pack), rules.suit_order)
    return seats_from_ranking(ranking, rules.players - 1)


def first_dealer(seed: Seed, players: int = SEATS) -> int:
    """Who deals first where seats were given and not drawn."""
    return Stream(b"burraco/dealer/v1", seed, 0).below(players)


def smallest_cut_for(pozzetti: Sequence[int]) -> int:
    """The fewest cards a cut lifts: those of the pozzetti, which come from there (R19, H4)."""
    return sum(pozzetti)


def check_cut(size: int, smallest: int = CUT_SMALLEST) -> None:
    """Refuse a cut that lifts fewer cards than ``smallest`` or leaves too few (R19, H4)."""
    if not smallest <= size <= CUT_LARGEST:
        refused = IllegalAction(
            Reason.CUT_OUT_OF_RANGE,
            "R19",
            cut=str(size),
            smallest=str(smallest),
            largest=str(CUT_LARGEST),
        )
        refused.offer(partial(nearest_cut, size, smallest))
        raise refused


def lay_out(
    pack: Sequence[Card],
    cut: int,
    dealer: int,
    players: int = SEATS,
    sizes: Sequence[int] = (POZZETTO_SIZE, POZZETTO_SIZE),
) -> Layout:
    """Deal a shuffled pack after a cut of ``cut`` cards, 0 for rules without one (R18 to R25).

    ``sizes`` are the cards of each pozzetto, as ``pozzetto_sizes`` says (H3, H5).
    """
    if sorted(map(int, pack)) != _SORTED_PACK:
        raise Unreadable("a pack is two of each card and four jokers, 108 in all")
    if cut:
        check_cut(cut, smallest_cut_for(sizes))
    whole = (*pack[cut:], *pack[:cut])
    in_hands = players * HAND_SIZE
    first = left_of(dealer, players)
    pozzetti: list[list[Card]] = [[] for _ in sizes]
    for at, which in enumerate(_in_turn(sizes)):
        pozzetti[which].append(whole[-1 - at])
    return Layout(
        hands=tuple(
            whole[(seat - first) % players : in_hands : players] for seat in range(players)
        ),
        pozzetti=tuple(map(tuple, pozzetti)),
        upcard=whole[in_hands],
        stock=whole[in_hands + 1 : PACK_SIZE - sum(sizes)],
    )


_SORTED_PACK: Final = sorted(map(int, PACK))


def _in_turn(sizes: Sequence[int]) -> Iterator[int]:
    """Which pozzetto gets the next card: one each in turn, those that are full passed over."""
    for dealt in range(max(sizes)):
        yield from (which for which, size in enumerate(sizes) if dealt < size)


def open_deal(rules: Ruleset, dealer: int, layout: Layout) -> DealState:
    """The state in which the player at the dealer's left begins (R42)."""
    return DealState(
        rules=rules,
        dealer=dealer,
        turn=left_of(dealer, rules.players),
        phase=Phase.DRAW,
        hands=tuple(bag(hand) for hand in layout.hands),
        melds=((),) * rules.side_count,
        pile=(layout.upcard,),
        stock=layout.stock,
        pozzetti=tuple(bag(pozzetto) for pozzetto in layout.pozzetti),
        taken=(False,) * rules.side_count,
        unopened=(EMPTY,) * rules.players,
        drawn=NO_CARD,
        barred=NO_CARD,
        must_meld=False,
        idle=False,
        passive=0,
        last_turn=False,
        end=None,
        sides=rules.sides_as_dealt,
    )
