"""The best way to put entries together two by two: few rules broken, and the lesser ones first."""

from collections.abc import Callable, Sequence
from typing import Final

import networkx as nx

# What it costs to put two together, gravest count first; None where it must never be.
Cost = tuple[int, ...]
# Each count stays below it, so that no number of lesser faults outweighs a graver one.
_BASE: Final = 1 << 32
# Opponents near in the list that are tried first: with all of them the work grows with the cube.
_NEAR: Final = 12


def best_matching(
    order: Sequence[int], cost: Callable[[int, int], Cost | None], free: int
) -> list[tuple[int, int]]:
    """As many couples as can be, with the least cost in all; everybody is in one couple at most.

    Couples are sought among neighbours in ``order`` first. Where that leaves somebody out, or costs
    something in the first ``free`` counts, the search widens until it is everybody with everybody.
    """
    reach = _NEAR
    while True:
        couples, paid = _matched(order, cost, reach)
        is_whole = len(couples) == len(order) // 2 and not any(paid[:free])
        if is_whole or reach >= len(order):
            return couples
        reach *= 4


def _matched(
    order: Sequence[int], cost: Callable[[int, int], Cost | None], reach: int
) -> tuple[list[tuple[int, int]], Cost]:
    graph: nx.Graph[int] = nx.Graph()
    costs: dict[tuple[int, int], Cost] = {}
    for at, one in enumerate(order):
        for other in order[at + 1 : at + 1 + reach]:
            price = cost(one, other)
            if price is not None:
                costs[one, other] = price
                graph.add_edge(one, other, weight=-_weight(price))
    places = {entry: at for at, entry in enumerate(order)}
    matched = nx.max_weight_matching(graph, maxcardinality=True)
    couples = sorted(
        ((a, b) if places[a] < places[b] else (b, a) for a, b in matched),
        key=lambda couple: places[couple[0]],
    )
    paid = [costs[couple] for couple in couples]
    return couples, tuple(map(sum, zip(*paid, strict=True))) if paid else ()


def _weight(cost: Cost) -> int:
    weight = 0
    for count in cost:
        assert 0 <= count < _BASE, "a count is too large to be graver than the next"
        weight = weight * _BASE + count
    return weight
