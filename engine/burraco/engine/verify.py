"""Verifying exported matches from public facts alone: commitment, shuffle, play (docs/deals.md).

Everything that follows from the seed is recomputed; of the tags only those are believed that say
how the match was set up.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from burraco.engine.bgn import judge_block, read_deal
from burraco.engine.bgn_tags import read_dealer, read_layout, read_points, read_rules, write_points
from burraco.engine.bgn_text import BadNotation, Block, Words, parse
from burraco.engine.cards import SUITS
from burraco.engine.deal import (
    SEED_SIZE,
    SUITS_AS_THEY_ARE,
    Seed,
    commitment,
    draw_seats,
    first_dealer,
    lay_out,
    mix_nonces,
    open_deal,
    shuffled,
    smallest_cut_for,
)
from burraco.engine.errors import Unreadable
from burraco.engine.match import DealResult, Match, MatchSetup, adjudicate, play, pozzetti_due
from burraco.engine.rules import CUT_LARGEST, Ruleset
from burraco.engine.state import SEAT_NAMES, EndedBy, Layout

# What ``FirstDealer`` says where no organiser named a seat.
BY_SEED: Final = "seed"
BY_DRAW: Final = "draw"
NO_NONCE: Final = "-"

_SEAT_TAGS: Final = ("North", "East", "South", "West")
# Tags that every block of a match has alike.
_COMMON: Final = (
    "Rules",
    "RulesHash",
    "Commitment",
    "Seed",
    "Suits",
    "Nonces",
    "FirstDealer",
    "Entry",
    "DealCount",
    "DealLimit",
    "MatchEnd",
    "Board",
    *_SEAT_TAGS,
)
_HEX: Final = re.compile(r"(?:[0-9a-f]{2})*", re.ASCII)
_NUMBER: Final = re.compile(r"[1-9]\d{0,5}", re.ASCII)
_MATCH_ENDS: Final = ("played", "adjudicated")
_IN_WORDS: Final = {2: "two", 3: "three", 4: "four"}
_FAULTS_SHOWN: Final = 3
_MISSING_SHOWN: Final = 5


@dataclass(frozen=True, slots=True)
class MatchVerdict:
    """What verifying one match came to; each of ``faults`` says what is wrong and where."""

    match_id: str
    deals: int
    faults: tuple[str, ...]

    @property
    def is_ok(self) -> bool:
        """Whether everything holds."""
        return not self.faults

    def __str__(self) -> str:
        if self.is_ok:
            number = f"{self.deals} deal{'s' if self.deals > 1 else ''}"
            return f"ok {self.match_id}: {number}, commitment, shuffle, play"
        further = len(self.faults) - _FAULTS_SHOWN
        more = f"; and {further} more" if further > 0 else ""
        return f"wrong {self.match_id}: {'; '.join(self.faults[:_FAULTS_SHOWN])}{more}"


def verify(text: str, published: Collection[bytes]) -> Iterator[MatchVerdict]:
    """Verify every match of a text, or raise ``BadNotation``.

    ``published`` are commitments as they stood before play began; where there are any, each match
    has to have one of them. Tables of one board in the text have to share its seed.
    """
    boards: dict[str, tuple[str, str]] = {}
    for match_id, blocks in _matches(parse(text)).items():
        verdict = _verify_match(match_id, blocks, published)
        board, secret = blocks[0].text_of("Board"), blocks[0].text_of("Seed")
        if board and secret:
            first = boards.setdefault(board, (match_id, secret))
            if first[1] != secret:
                fault = f"board {board}: its seed is not that of match {first[0]}"
                verdict = replace(verdict, faults=(*verdict.faults, fault))
        yield verdict


def _matches(blocks: Sequence[Block]) -> dict[str, list[Block]]:
    """The blocks of each match, in the order of the text."""
    matches: dict[str, list[Block]] = {}
    for block in blocks:
        words = _needed(block, "Match")
        if not words.text.isprintable():
            raise words.bad("an id of a match is letters, digits and - _ .")
        matches.setdefault(words.text, []).append(block)
    return matches


@dataclass(frozen=True, slots=True)
class _Terms:
    """How a match was set up, as its first block says; ``deals`` is how many were dealt."""

    match_id: str
    rules: Ruleset
    rules_hash: bytes
    promise: bytes
    seed: Seed
    first_dealer: str
    deals: int
    limit: int
    asks_cut: bool
    was_adjudicated: bool


@dataclass(frozen=True, slots=True)
class _Deal:
    """What one block says was dealt; ``cut`` is None where the seed cuts."""

    number: int
    dealer: int
    layout: Layout
    cut: int | None
    block: Block


def _verify_match(
    match_id: str, blocks: Sequence[Block], published: Collection[bytes]
) -> MatchVerdict:
    try:
        terms = _read_terms(match_id, blocks[0])
        deals = [_read_deal_tags(block, terms) for block in blocks]
        faults = [
            *_promise_faults(terms, published),
            *_seat_faults(terms, blocks[0]),
            *_order_faults([deal.number for deal in deals], terms.deals),
            *(fault for deal in deals for fault in _deal_faults(terms, deal, blocks[0])),
        ]
    except BadNotation as bad:
        faults = [str(bad)]
    # A course can only be followed through deals that are whole and were played by the rules.
    return MatchVerdict(match_id, len(blocks), tuple(faults or _course_faults(terms, deals)))


def _read_terms(match_id: str, block: Block) -> _Terms:
    first, end = _needed(block, "FirstDealer"), _needed(block, "MatchEnd")
    if first.text not in (BY_SEED, BY_DRAW, *SEAT_NAMES):
        raise first.bad(f"who dealt first is {BY_SEED}, {BY_DRAW}, or a seat N E S W")
    if end.text not in _MATCH_ENDS:
        raise end.bad(f"a match was {' or '.join(_MATCH_ENDS)}")
    rules, limit = read_rules(block), block.tags.get("DealLimit")
    mix = _read_mix(_needed(block, "Nonces"), rules)
    return _Terms(
        match_id=match_id,
        rules=rules,
        rules_hash=_read_hex(_needed(block, "RulesHash"), 32),
        promise=_read_hex(_needed(block, "Commitment"), 32),
        seed=Seed(_read_hex(_needed(block, "Seed"), SEED_SIZE), mix, _read_suits(block)),
        first_dealer=first.text,
        deals=_read_number(_needed(block, "DealCount")),
        limit=0 if limit is None else _read_number(limit),
        asks_cut="Cut" in block.tags,
        was_adjudicated=end.text == EndedBy.ADJUDICATED.value,
    )


def _read_deal_tags(block: Block, terms: _Terms) -> _Deal:
    where, cut = _needed(block, "Deal"), block.tags.get("Cut")
    dealer, layout = read_dealer(block), read_layout(where, terms.rules)
    if dealer is None:
        raise where.bad('who dealt is missing: [Dealer "N"]')
    if (cut is not None) != terms.asks_cut:
        raise where.bad("a cutter chooses the cut of every deal of a match, or of none")
    return _Deal(
        number=_read_number(_needed(block, "DealNumber")),
        dealer=dealer,
        layout=layout,
        cut=None if cut is None else _read_cut(cut, terms.rules, _sizes(layout)),
        block=block,
    )


def _read_cut(words: Words, rules: Ruleset, pozzetti: Sequence[int]) -> int:
    if not rules.physical_cut:
        raise words.bad(f"rules {rules.name} know no cut")
    size, smallest = _read_number(words), smallest_cut_for(pozzetti)
    if not smallest <= size <= CUT_LARGEST:
        raise words.bad(f"a cut of {size}: it lifts {smallest} to {CUT_LARGEST} cards (R19)")
    return size


def _sizes(layout: Layout) -> tuple[int, ...]:
    """Cards of each pozzetto."""
    return tuple(map(len, layout.pozzetti))


def _needed(block: Block, name: str) -> Words:
    words = block.tags.get(name)
    if words is None:
        raise block.start.bad(f"no tag {name}: every block of an exported match has it")
    return words


def _read_hex(words: Words, size: int) -> bytes:
    if not _HEX.fullmatch(words.text) or len(words.text) != 2 * size:
        raise words.bad(f"{2 * size} hexadecimal digits are needed")
    return bytes.fromhex(words.text)


def _read_mix(words: Words, rules: Ruleset) -> bytes:
    nonces = [_read_nonce(words, word) for word in words.text.split()]
    if len(nonces) != rules.players:
        raise words.bad(f"{_IN_WORDS[rules.players]} nonces are needed, in order of entry")
    try:
        return mix_nonces(nonces)
    except Unreadable as fault:
        raise words.bad(fault) from None


def _read_suits(block: Block) -> tuple[int, ...]:
    """What spades, hearts, diamonds and clubs became; themselves where nothing is said."""
    words = block.tags.get("Suits")
    if words is None:
        return SUITS_AS_THEY_ARE
    if sorted(words.text) != sorted(SUITS.upper()):
        raise words.bad("each of S H D C is needed once: what spades, hearts and so on become")
    return tuple(SUITS.index(suit) for suit in words.text.lower())


def _read_nonce(words: Words, nonce: str) -> bytes:
    if nonce == NO_NONCE:
        return b""
    if not _HEX.fullmatch(nonce):
        raise words.bad(f"a nonce is hexadecimal digits, {NO_NONCE} where a seat added none")
    return bytes.fromhex(nonce)


def _read_number(words: Words) -> int:
    if not _NUMBER.fullmatch(words.text):
        raise words.bad("a number from 1 is needed")
    return int(words.text)


def _promise_faults(terms: _Terms, published: Collection[bytes]) -> Iterator[str]:
    if terms.rules.content_hash != terms.rules_hash:
        yield f"RulesHash is not the hash of the rules {terms.rules.name}"
    if commitment(terms.match_id, terms.rules, terms.seed.secret) != terms.promise:
        yield "Commitment does not fit match, rules and seed"
    if published and terms.promise not in published:
        yield "Commitment is not the one that was published"


def _seat_faults(terms: _Terms, block: Block) -> Iterator[str]:
    """Where seats were drawn, whether everybody sits where the draw says."""
    if terms.first_dealer != BY_DRAW:
        return
    entry = _needed(block, "Entry")
    players = entry.text.split()
    if len(players) != terms.rules.players:
        raise entry.bad(f"{_IN_WORDS[terms.rules.players]} players in order of entry are needed")
    drawn = [players[place] for place in draw_seats(terms.seed, terms.rules)]
    if drawn != [block.text_of(tag) for tag in _SEAT_TAGS[: len(drawn)]]:
        seats = " ".join(SEAT_NAMES[: len(drawn)])
        yield f"the draw seats {' '.join(drawn)} at {seats}, not those that the file names"


def _order_faults(numbers: Sequence[int], deals: int) -> Iterator[str]:
    times = Counter(numbers)
    yield from (
        f"deal {number} is there {seen} times" for number, seen in times.items() if seen > 1
    )
    yield from (f"deal {number} of {deals}" for number in times if number > deals)
    missing = [number for number in range(1, deals + 1) if number not in times]
    if missing:
        further = len(missing) - _MISSING_SHOWN
        named = " ".join(map(str, missing[:_MISSING_SHOWN]))
        yield f"missing of {deals} deals: {named}{f' and {further} more' if further > 0 else ''}"
    for before, after in pairwise(numbers):
        if after < before:
            yield f"deal {before} stands before deal {after}"


def _deal_faults(terms: _Terms, deal: _Deal, first: Block) -> Iterator[str]:
    """What is wrong with one deal by itself."""
    for name in _COMMON:
        if deal.block.text_of(name) != first.text_of(name):
            yield f"deal {deal.number}: {name} is not that of the first block"
    dealer = (_first_dealer(terms) + deal.number - 1) % terms.rules.players
    if deal.dealer != dealer:
        yield (
            f"deal {deal.number}: the dealer is {SEAT_NAMES[dealer]},"
            f" the file says {SEAT_NAMES[deal.dealer]}"
        )
    wrong = " ".join(_differing(deal.layout, _dealt(terms, deal, dealer)))
    if wrong:
        yield f"deal {deal.number}: {wrong} of Deal is not what seed and nonces give"
    verdict = judge_block(deal.block)
    if not verdict.is_ok:
        yield f"deal {deal.number}: {verdict.shown('line')}"


def _first_dealer(terms: _Terms) -> int:
    if terms.first_dealer == BY_SEED:
        return first_dealer(terms.seed, terms.rules.players)
    if terms.first_dealer == BY_DRAW:
        return terms.rules.players - 1
    return SEAT_NAMES.index(terms.first_dealer)


def _dealt(terms: _Terms, deal: _Deal, dealer: int) -> Layout:
    """The deal as the page on deals makes it, whatever the block says."""
    rules, sizes = terms.rules, _sizes(deal.layout)
    pack, drawn_cut = shuffled(terms.seed, deal.number, smallest_cut_for(sizes))
    cut = 0 if not rules.physical_cut else drawn_cut if deal.cut is None else deal.cut
    return lay_out(pack, cut, dealer, rules.players, sizes)


def _differing(said: Layout, dealt: Layout) -> Iterator[str]:
    """The labels of the tag ``Deal`` under which the two differ."""
    hands = zip(SEAT_NAMES, said.hands, dealt.hands, strict=False)
    pozzetti = zip(("P1", "P2", "P3"), said.pozzetti, dealt.pozzetti, strict=False)
    rest = (("U", (said.upcard,), (dealt.upcard,)), ("K", said.stock, dealt.stock))
    yield from (label for label, one, other in (*hands, *pozzetti, *rest) if one != other)


def _course_faults(terms: _Terms, deals: Sequence[_Deal]) -> Iterator[str]:
    """Whether the deals, each right by itself, make the match: totals, and where it ended."""
    rules = terms.rules
    setup = MatchSetup(rules, terms.seed, _first_dealer(terms), terms.limit, terms.asks_cut)
    results: tuple[DealResult, ...] = ()
    for deal in deals:
        before = _totals(rules, results)
        said = deal.block.tags.get("Scores")
        if said is not None and read_points(said, rules) != before:
            yield f"deal {deal.number}: {write_points(before, rules)} before it, not {said.text}"
        due = pozzetti_due(rules, results)
        if _sizes(deal.layout) != due:
            yield f"deal {deal.number}: pozzetti of {' '.join(map(str, due))} cards were due (H10)"
            return
        match = _played(setup, deal, results)
        if len(match.results) == len(results):
            yield f"deal {deal.number} was not played to its end"
            return
        results = match.results
        if match.is_over and deal.number < terms.deals:
            totals = write_points(match.totals, rules)
            yield f"the match was over after deal {deal.number} with {totals}"
            return
    if not _ends_as_told(terms, match):
        yield (
            f"after deal {terms.deals} with {write_points(match.totals, rules)} the match is"
            f" {'over' if match.is_over else 'not over'}, and MatchEnd is"
            f" {'adjudicated' if terms.was_adjudicated else 'played'}"
        )


def _ends_as_told(terms: _Terms, match: Match) -> bool:
    """Whether ``MatchEnd`` is how the match ended; one may be stopped while a cut is due."""
    is_stopped = match.results[-1].end.by is EndedBy.ADJUDICATED
    if terms.was_adjudicated:
        return is_stopped or (terms.asks_cut and not match.is_over)
    return match.is_over and not is_stopped


def _totals(rules: Ruleset, results: Sequence[DealResult]) -> tuple[int, ...]:
    by_side = [[result.points[side] for result in results] for side in range(rules.side_count)]
    return tuple(map(sum, by_side))


def _played(setup: MatchSetup, deal: _Deal, results: tuple[DealResult, ...]) -> Match:
    """The match after one deal, begun with the results of those before it."""
    record = read_deal(deal.block)
    start = open_deal(record.rules, record.dealer, record.layout)
    match = Match(setup, deal.number, record.dealer, start, record.layout, results, is_over=False)
    for move in record.moves:
        match = play(match, move.action).match
    return adjudicate(match).match if record.adjudicated else match
