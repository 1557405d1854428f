"""``burraco-deal-v1``: from a seed to a dealt pack, recomputed here from its description."""

import ast
import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from burraco.engine import (
    Card,
    MatchSetup,
    Seed,
    Unreadable,
    commitment,
    lay_out,
    preset,
    shuffled,
    start_match,
)
from burraco.engine.cards import PACK
from burraco.engine.deal import (
    Stream,
    draw_seats,
    first_dealer,
    in_suits,
    mix_nonces,
    shuffle,
)
from tests.golden import DEALS, golden_deals
from tests.support.deal_page import Words, commitment_of, fisher_yates, mix_of, rules_hash

ENGINE = Path(__file__).parents[2] / "engine" / "burraco" / "engine"
SECRETS = (bytes(80), bytes(range(80)), hashlib.shake_256(b"secret").digest(80))
NONCES = ((b"", b"", b"", b""), (b"north", b"", b"south", bytes(64)))
HIGHEST = (1 << 32) - 1


def _names(cards: tuple[object, ...]) -> list[str]:
    return [str(card) for card in cards]


@pytest.mark.parametrize("secret", SECRETS, ids=lambda secret: secret[:4].hex())
@pytest.mark.parametrize("nonces", NONCES, ids=lambda nonces: str(len(b"".join(nonces))))
@pytest.mark.parametrize("deal", [1, 2, 40])
def test_shuffle_and_cut(secret: bytes, nonces: tuple[bytes, ...], deal: int) -> None:
    words = Words.of(b"burraco/deal/v1", secret, mix_of(nonces), deal)
    expected = fisher_yates(words)
    pack, cut = shuffled(Seed(secret, mix_nonces(nonces)), deal)
    assert _names(pack) == expected
    assert cut == 22 + words.below(42)


def test_suits_are_exchanged_after_the_shuffle_and_nothing_else_is() -> None:
    plain, cut = shuffled(Seed(SECRETS[1], b"mix"), 1)
    pack, same_cut = shuffled(Seed(SECRETS[1], b"mix", (1, 3, 0, 2)), 1)
    letters = str.maketrans("shdc", "hcsd")
    assert _names(pack) == [
        name if name == "Jk" else name[0] + name[1].translate(letters) for name in _names(plain)
    ]
    assert cut == same_cut
    assert sorted(pack) == sorted(plain)


def test_a_suit_cannot_be_lost() -> None:
    with pytest.raises(AssertionError):
        in_suits(PACK, (0, 0, 2, 3))


@pytest.mark.parametrize("nonces", NONCES, ids=lambda nonces: str(len(b"".join(nonces))))
def test_mix(nonces: tuple[bytes, ...]) -> None:
    assert mix_nonces(nonces) == mix_of(nonces)


def test_mix_tells_seats_apart() -> None:
    mixes = {mix_nonces(n) for n in [(b"a", b"", b"", b""), (b"", b"a", b"", b""), (b"",) * 4]}
    assert len(mixes) == 3


def test_mix_of_two_and_three_players() -> None:
    nonces = (b"north", b"", b"south")
    assert [mix_nonces(nonces[:players]) for players in (2, 3)] == [
        mix_of(nonces[:players]) for players in (2, 3)
    ]
    assert len({mix_nonces((b"",) * players) for players in (2, 3, 4)}) == 3


@pytest.mark.parametrize("nonces", [(b"",), (b"",) * 5, (b"", bytes(65), b"", b"")])
def test_unreadable_nonces(nonces: tuple[bytes, ...]) -> None:
    with pytest.raises(Unreadable, match="two to four nonces of at most 64 bytes"):
        mix_nonces(nonces)


@pytest.mark.parametrize("name", ["classic", "fibur"])
@pytest.mark.parametrize("match_id", ["m-1", "partita-\u00e8"])
def test_commitment(name: str, match_id: str) -> None:
    rules = preset(name)
    expected = commitment_of(match_id, rules.content_hash, SECRETS[2])
    assert commitment(match_id, rules, SECRETS[2]) == expected


def test_ruleset_hash() -> None:
    """Every knob in order as ``knob=value``, the name of the rules left out."""
    knobs = (
        "suit_order=hdcs physical_cut=False pile_requires_meld=False rediscard_single=forbid "
        "set_ranks=A3456789TJQK second_set_of_rank=True two_two_joker=False "
        "pozzetto_seen=own_next_turn close_needs=any stock_end=after_discard stalemate_turns=8 "
        "semiclean_bonus=150 semiclean_set=at_least_8 clean_bonus=200 dirty_bonus=100 "
        "closing_bonus=100 no_pozzetto_penalty=100 no_pozzetto_waived_if_none=False target=2005 "
        "deals=0 players=4"
    )
    assert preset("online").content_hash == rules_hash(knobs)


def test_commitment_binds_match_rules_and_seed() -> None:
    bound = {
        commitment(match_id, preset(name), secret)
        for match_id in ("a", "b")
        for name in ("classic", "online")
        for secret in SECRETS
    }
    assert len(bound) == 12


def test_rejection_leaves_no_bias() -> None:
    """Words above the last multiple of the limit are skipped, and the last one below is not."""
    fair = 2**32 // 108 * 108
    stream = Stream.of_words([HIGHEST, fair, fair - 1, 5, fair + 1, 108])
    assert [stream.below(108) for _ in range(3)] == [107, 5, 0]


def test_a_limit_that_divides_rejects_nothing() -> None:
    assert Stream.of_words([HIGHEST]).below(64) == 63


def test_a_shuffle_with_rejections() -> None:
    """The same pack as without the rejected words; a limit that is a power of two rejects none."""
    words = dict(zip(range(108, 1, -1), range(1000, 1107), strict=True))
    forged: list[int] = []
    for limit, word in words.items():
        forged += [word] if limit.bit_count() == 1 else [HIGHEST, word]
    assert len(forged) == 107 + 101
    assert shuffle(Stream.of_words(forged)) == shuffle(Stream.of_words([*words.values()]))


def test_words_go_on_without_end() -> None:
    """Far more words than are read at once, none of them repeated or left out."""
    stream = Stream(b"label", Seed(SECRETS[1], b"mix"), 7)
    shaken = hashlib.shake_256(b"label" + SECRETS[1] + b"mix" + (7).to_bytes(4, "big"))
    expected = shaken.digest(4 * 1500)
    words = b"".join(stream.word().to_bytes(4, "big") for _ in range(1500))
    assert words == expected


@pytest.mark.parametrize("size", [0, 79, 81])
def test_a_seed_of_another_size(size: int) -> None:
    with pytest.raises(Unreadable, match=f"80 bytes, not {size}"):
        shuffled(Seed(bytes(size), b""), 1)


@pytest.mark.parametrize(
    "pack", [PACK[:107], (*PACK, PACK[0]), (*PACK[:107], PACK[0])], ids=["107", "109", "three"]
)
def test_a_pack_that_is_none(pack: tuple[Card, ...]) -> None:
    with pytest.raises(Unreadable, match="108 in all"):
        lay_out(pack, 22, 0)


@pytest.mark.parametrize("name", ["fibur", "international", "online"])
def test_rules_without_a_cut_deal_from_the_top(name: str) -> None:
    seed = Seed(SECRETS[2], b"")
    pack, _ = shuffled(seed, 1)
    match = start_match(MatchSetup(preset(name), seed, 3, 1, False)).match
    assert match.layout is not None
    assert match.layout.hands[0] == pack[:44:4]
    assert match.layout.upcard == pack[44]
    dealt = [*match.layout.stock, *pack[:45], *(c for p in match.layout.pozzetti for c in p)]
    assert Counter(dealt) == Counter(PACK)


def test_classic_cuts_where_the_stream_says() -> None:
    seed = Seed(SECRETS[2], b"")
    pack, cut = shuffled(seed, 1)
    match = start_match(MatchSetup(preset("classic"), seed, 3, 1, False)).match
    assert match.layout == lay_out(pack, cut, 3)


def test_seats_are_drawn_from_a_pack_of_their_own() -> None:
    """Four different cards without a joker; West deals, so N E S W are a, c, b, d (R12 to R16)."""
    secret = next(secret for secret in map(_secret, range(50)) if _is_plain(_four(secret)))
    place = [rank + suit for rank in "2AKQJT9876543" for suit in "shdc"].index
    a, b, c, d = sorted(range(4), key=lambda player: place(_four(secret)[player]))
    assert draw_seats(Seed(secret, b""), preset("classic")) == (a, c, b, d)


def _secret(number: int) -> bytes:
    return hashlib.shake_256(b"seats" + bytes([number])).digest(80)


def _four(secret: bytes) -> list[str]:
    return fisher_yates(Words.of(b"burraco/seats/v1", secret, b"", 0))[:4]


def _is_plain(four: list[str]) -> bool:
    return "Jk" not in four and len(set(four)) == 4


def test_first_dealer() -> None:
    dealers = [first_dealer(Seed(_secret(number), b"")) for number in range(20)]
    words = [Words.of(b"burraco/dealer/v1", _secret(number), b"", 0) for number in range(20)]
    assert dealers == [stream.below(4) for stream in words]
    assert set(dealers) == {0, 1, 2, 3}


def test_golden_deals() -> None:
    """A regression golden: it says that dealing has changed, not which of the two is right."""
    assert golden_deals() == json.loads(DEALS.read_text())


def test_the_engine_has_no_chance_of_its_own() -> None:
    imported = {
        name.partition(".")[0]
        for path in ENGINE.glob("**/*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        for name in _imports(node)
    }
    assert "hashlib" in imported
    assert not imported & {"random", "secrets", "uuid", "time", "os", "datetime"}


def _imports(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module or ""] if isinstance(node, ast.ImportFrom) else []
