"""Corresponding elements of two sequences, in an order that never crosses.

Sequences contain numbers; equal numbers mean equal elements. Pairs contain the places of two
elements in their sequences.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import pairwise

Pairs = list[tuple[int, int]]

MOST_EDITS = 100
"""The most elements without a partner in a common subsequence."""


def anchors(before: Sequence[int], after: Sequence[int], repeated: bool) -> Pairs:
    """The longest chain of elements that occur once in both and keep their order, as in Bram
    Cohen's patience diff. With `repeated`, elements that occur equally often in both count, too."""
    counts, others = Counter(before), Counter(after)
    same = {
        key for key, count in counts.items() if others[key] == count and (repeated or count == 1)
    }
    places: defaultdict[int, list[int]] = defaultdict(list)
    for at in range(len(after) - 1, -1, -1):
        if after[at] in same:
            places[after[at]].append(at)
    found = [(at, places[key].pop()) for at, key in enumerate(before) if key in same]
    return increasing(found)


def increasing(pairs: Pairs) -> Pairs:
    """The longest chain of pairs with increasing second places, in O(n log n) by patience sorting.
    The first places increase already."""
    if all(a[1] < b[1] for a, b in pairwise(pairs)):
        return pairs
    ends: list[int] = []
    last: list[int] = []
    previous: list[int] = []
    for at, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        previous.append(last[length - 1] if length else -1)
        if length == len(ends):
            ends.append(place)
            last.append(at)
        else:
            ends[length], last[length] = place, at
    chain: Pairs = []
    at = last[-1]
    while at >= 0:
        chain.append(pairs[at])
        at = previous[at]
    return chain[::-1]


def few_edits(before: Sequence[int], after: Sequence[int]) -> Pairs:
    """A longest common subsequence, if at most `MOST_EDITS` elements are not in it; else none."""
    trace, end = _furthest_paths(before, after)
    return _pairs_on_path(trace, *end) if end[:2] == (len(before), len(before) - len(after)) else []


def common(before: Sequence[int], after: Sequence[int]) -> Pairs:
    """A longest common subsequence if at most `MOST_EDITS` elements are not in it; else a common
    subsequence of the beginnings that this number of edits reaches."""
    trace, end = _furthest_paths(before, after)
    return _pairs_on_path(trace, *end)


def _furthest_paths(
    before: Sequence[int], after: Sequence[int]
) -> tuple[list[dict[int, int]], tuple[int, int, int]]:
    """The places reached in both sequences with an increasing number of edits (Myers, An O(ND)
    Difference Algorithm and Its Variations, Algorithmica 1986).

    The first result has, for each number of edits, the place reached in `before` on each diagonal
    (place in `before` minus place in `after`). The second is the furthest end: place, diagonal,
    edits.
    """
    n, m = len(before), len(after)
    reached = {1: 0}
    trace: list[dict[int, int]] = []
    best = (0, 0, 0)
    for edits in range(min(n + m, MOST_EDITS) + 1):
        trace.append(dict(reached))
        for k in range(-edits, edits + 1, 2):
            x = _start(reached, k, edits)[1]
            while x < n and 0 <= x - k < m and before[x] == after[x - k]:
                x += 1
            reached[k] = x
            if x <= n and 0 <= x - k <= m and 2 * x - k > 2 * best[0] - best[1]:
                best = (x, k, edits)
        if best[:2] == (n, n - m):
            break
    return trace, best


def _start(reached: dict[int, int], k: int, edits: int) -> tuple[int, int]:
    """The diagonal from which diagonal `k` is reached, and the first place on `k`."""
    if k == -edits or (k != edits and reached[k - 1] < reached[k + 1]):
        return k + 1, reached[k + 1]
    return k - 1, reached[k - 1] + 1


def _pairs_on_path(trace: list[dict[int, int]], x: int, k: int, edits: int) -> Pairs:
    """The pairs on the path to place `x` on diagonal `k`."""
    pairs: Pairs = []
    for at in range(edits, -1, -1):
        reached = trace[at]
        previous, start = _start(reached, k, at)
        pairs += [(place, place - k) for place in range(x - 1, start - 1, -1)]
        x, k = reached[previous], previous
    return pairs[::-1]


def interleaved(
    before: int, after: int, pairs: dict[int, int]
) -> list[tuple[int | None, int | None]]:
    """Both sequences, of `before` and `after` elements, as one. Elements of one pair appear once.

    The result has the place of each element in both; None if it is absent. The order is that of the
    later sequence. An element that only the earlier one has follows all elements that it followed
    there.
    """
    follows: dict[int, list[int]] = {}
    last = -1
    for at in range(before):
        if at in pairs:
            last = max(last, pairs[at])
        else:
            follows.setdefault(last, []).append(at)
    found: list[tuple[int | None, int | None]] = [(at, None) for at in follows.get(-1, [])]
    partner = {b: a for a, b in pairs.items()}
    for at in range(after):
        found.append((partner.get(at), at))
        found += [(one, None) for one in follows.get(at, [])]
    return found
