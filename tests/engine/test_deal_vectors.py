"""docs/deal-vectors.json, the page on deals and the engine say the same."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from burraco.engine import Seed, commitment, lay_out, preset, show_cards, shuffled
from burraco.engine.bgn_tags import write_layout
from burraco.engine.cards import PACK
from burraco.engine.deal import (
    Stream,
    draw_seats,
    first_dealer,
    mix_nonces,
    shuffle,
    smallest_cut_for,
)
from burraco.engine.state import SEAT_NAMES
from tests.support.deal_page import Words, fisher_yates, vectors

DOCS = Path(__file__).parents[2] / "docs"
ON_FILE: dict[str, Any] = json.loads((DOCS / "deal-vectors.json").read_text())
SEEDS: list[dict[str, Any]] = ON_FILE["seeds"]
LAST = 2**32 - 1

each_seed = pytest.mark.parametrize("vector", SEEDS, ids=lambda vector: vector["seed"][:8])


def seed_of(vector: dict[str, Any]) -> Seed:
    return Seed(bytes.fromhex(vector["seed"]), bytes.fromhex(vector["mix"]))


def test_the_file_is_what_the_page_says() -> None:
    assert vectors() == ON_FILE


def test_the_pack_in_order() -> None:
    assert hashlib.sha256(_text(PACK).encode()).hexdigest() == ON_FILE["pack"]
    hashes = ON_FILE["rules_hash"]
    assert preset("classic").content_hash.hex() == hashes["classic"]
    for players in (2, 3):
        seated = preset("classic").with_knobs(players=players)
        assert seated.content_hash.hex() == hashes[f"classic players={players}"]


def _text(pack: tuple[Any, ...]) -> str:
    return show_cards(pack).replace(" ", "")


@pytest.mark.parametrize("number", [0, 3])
def test_the_page_shows_what_is_on_file(number: int) -> None:
    vector, page = SEEDS[number], (DOCS / "deals.md").read_text(encoding="utf-8")
    for dealt in vector["deals"][:3]:
        cells = (dealt["deal"], f"`{dealt['first']}`", dealt["cut"], f"`{dealt['sha256'][:16]}`")
        assert f" | {' | '.join(map(str, cells))} |\n" in page
    assert vector["mix"] in page
    assert SEEDS[0]["commitment"]["m-1"] in page


@each_seed
def test_mix(vector: dict[str, Any]) -> None:
    assert mix_nonces([bytes.fromhex(nonce) for nonce in vector["nonces"]]) == seed_of(vector).mix


@each_seed
def test_commitment(vector: dict[str, Any]) -> None:
    for match_id, digest in vector["commitment"].items():
        made = commitment(match_id, preset("classic"), seed_of(vector).secret)
        assert made.hex() == digest


@each_seed
def test_packs_and_cuts(vector: dict[str, Any]) -> None:
    for dealt in vector["deals"]:
        pack, cut = shuffled(seed_of(vector), dealt["deal"])
        assert _text(pack)[:16] == dealt["first"]
        assert hashlib.sha256(_text(pack).encode()).hexdigest() == dealt["sha256"]
        assert cut == dealt["cut"]


@each_seed
def test_first_dealer_and_layout(vector: dict[str, Any]) -> None:
    seed = seed_of(vector)
    dealer = first_dealer(seed)
    pack, cut = shuffled(seed, vector["dealt"]["deal"])
    assert SEAT_NAMES[dealer] == vector["first_dealer"]
    assert write_layout(lay_out(pack, cut, dealer)) == vector["dealt"]["cut"]
    assert write_layout(lay_out(pack, 0, dealer)) == vector["dealt"]["no_cut"]


@each_seed
def test_seats(vector: dict[str, Any]) -> None:
    rules = preset("classic").with_knobs(suit_order=vector["seats"]["suit_order"])
    assert list(draw_seats(seed_of(vector), rules)) == vector["seats"]["players"]


@each_seed
@pytest.mark.parametrize("players", [2, 3])
def test_h2_to_h5_two_and_three_players(vector: dict[str, Any], players: int) -> None:
    fewer, nonces = vector["fewer"][players - 2], map(bytes.fromhex, vector["nonces"][:players])
    seed = Seed(bytes.fromhex(vector["seed"]), mix_nonces([*nonces]))
    rules, dealer = preset("classic").with_knobs(players=players), first_dealer(seed, players)
    assert (fewer["players"], fewer["mix"]) == (players, seed.mix.hex())
    assert SEAT_NAMES[dealer] == fewer["first_dealer"]
    assert list(draw_seats(seed, rules)) == fewer["seats"]["players"]
    for dealt in fewer["dealt"]:
        sizes = dealt["pozzetti"]
        pack, cut = shuffled(seed, dealt["deal"], smallest_cut_for(sizes))
        assert cut == dealt["lifted"]
        assert write_layout(lay_out(pack, cut, dealer, players, sizes)) == dealt["cut"]
        assert write_layout(lay_out(pack, 0, dealer, players, sizes)) == dealt["no_cut"]


def test_h3_the_sizes_that_are_on_file() -> None:
    sizes = [[dealt["pozzetti"] for dealt in fewer["dealt"]] for fewer in SEEDS[0]["fewer"]]
    assert sizes == [[[11, 11]], [[18, 11], [11, 11, 11]]]


def test_e62_some_vectors_draw_again() -> None:
    drawn = [len(vector["seats"]["drawn"]) // 2 for vector in SEEDS]
    assert drawn == [4, 4, 4, 6, 8, 8]


@pytest.mark.parametrize("forged", ON_FILE["numbers"], ids=lambda forged: str(forged["below"]))
def test_forged_words(forged: dict[str, Any]) -> None:
    stream = Stream.of_words([int(word, 16) for word in forged["words"]])
    assert [stream.below(forged["below"]) for _ in forged["numbers"]] == forged["numbers"]


def test_only_a_power_of_two_takes_every_word() -> None:
    taken = {forged["below"]: len(forged["numbers"]) for forged in ON_FILE["numbers"]}
    assert taken.pop(64) == 8
    assert set(taken.values()) == {6}


@pytest.mark.parametrize("limit", range(2, 109))
def test_the_last_word_that_is_taken(limit: int) -> None:
    """One word more and it is skipped, for every limit that a shuffle asks for."""
    fair = 2**32 // limit * limit
    rejected = [fair] if fair <= LAST else []
    stream = Stream.of_words([*rejected, fair - 1, *rejected, 0])
    assert [stream.below(limit), stream.below(limit)] == [limit - 1, 0]


def test_rejections_without_end_are_waited_for() -> None:
    assert Stream.of_words([LAST] * 5_000 + [43]).below(42) == 1


_word = st.one_of(
    st.integers(0, LAST), st.integers(LAST - 300, LAST), st.sampled_from([0, 2**31, LAST])
)


@given(st.lists(_word, min_size=500, max_size=500))
def test_any_words_shuffle_alike(words: list[int]) -> None:
    """Streams full of words that some limits reject and others take."""
    # Zeros behind, so that no stream of rejections ends early.
    forged = [*words, *[0] * 200]
    assert _text(shuffle(Stream.of_words(forged))) == "".join(fisher_yates(Words(iter(forged))))
