"""Exported matches as text: their blocks, and single tags changed as a forger would."""

import re
from collections.abc import Callable, Sequence

_BEGINS = re.compile(r"^(?=\[BGN )", re.MULTILINE)


def blocks_of(text: str) -> list[str]:
    """The blocks of an export, each with the blank line before the next."""
    return [f"{block.rstrip()}\n\n" for block in _BEGINS.split(text) if block]


def of_match(text: str, match_id: str) -> str:
    """The blocks of one match."""
    return "".join(block for block in blocks_of(text) if tag_of(block, "Match") == match_id)


def tag_of(block: str, name: str) -> str:
    """The value of a tag."""
    found = re.search(rf'^\[{name} "(.*)"\]$', block, re.MULTILINE)
    assert found is not None, f"no tag {name}"
    return found[1]


def with_tag(block: str, name: str, value: str) -> str:
    """The block with the value of one tag changed."""
    before = tag_of(block, name)
    assert before != value
    return block.replace(f'[{name} "{before}"]', f'[{name} "{value}"]')


def without_tag(block: str, name: str) -> str:
    """The block without one tag."""
    return block.replace(f'[{name} "{tag_of(block, name)}"]\n', "")


def with_tag_everywhere(blocks: Sequence[str], name: str, value: str) -> list[str]:
    """All blocks with the value of one tag changed."""
    return [with_tag(block, name, value) for block in blocks]


Blocks = list[str]
Forge = Callable[[Blocks], Blocks]


def everywhere(name: str, change: Callable[[str], str]) -> Forge:
    """One tag changed in every block."""
    return lambda blocks: with_tag_everywhere(blocks, name, change(tag_of(blocks[0], name)))


def at(deal: int, name: str, change: Callable[[str], str]) -> Forge:
    """One tag changed in the block of one deal."""

    def forge(blocks: Blocks) -> Blocks:
        block = blocks[deal - 1]
        changed = with_tag(block, name, change(tag_of(block, name)))
        return [*blocks[: deal - 1], changed, *blocks[deal:]]

    return forge


def one_bit(digits: str) -> str:
    return f"{int(digits[0], 16) ^ 1:x}{digits[1:]}"


def to(value: str) -> Callable[[str], str]:
    return lambda _value: value


def other_seat(seat: str) -> str:
    return "NESW"["NESW".index(seat) - 1]


def exchange(first: str, second: str) -> Callable[[str], str]:
    """The first cards of two labels of the tag ``Deal`` exchanged."""

    def change(deal: str) -> str:
        one, other = (deal.index(f"{label}:") + len(label) + 1 for label in (first, second))
        there = list(deal)
        there[one : one + 2], there[other : other + 2] = (
            deal[other : other + 2],
            deal[one : one + 2],
        )
        return "".join(there)

    return change


def swap_contents(blocks: Blocks) -> Blocks:
    """Deals 2 and 3 of a match exchanged, each under the number of the other."""
    first, second, third = blocks
    return [first, with_tag(third, "DealNumber", "2"), with_tag(second, "DealNumber", "3")]


def lose_last(blocks: Blocks) -> Blocks:
    """The last deal hidden, and the number of deals made to fit."""
    return with_tag_everywhere(blocks[:-1], "DealCount", str(len(blocks) - 1))


def drop_action(blocks: Blocks) -> Blocks:
    """The last line of turns of the first deal left out."""
    return [blocks[0].rstrip().rpartition("\n")[0] + "\n\n", *blocks[1:]]
