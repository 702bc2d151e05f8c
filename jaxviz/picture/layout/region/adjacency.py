"""Links gathered by one of their ends."""

from __future__ import annotations


def by_node(nodes: int, end: list[int]) -> list[list[int]]:
    """Of each node the links with this end there, in order."""
    links: list[list[int]] = [[] for _ in range(nodes)]
    for link, node in enumerate(end):
        links[node].append(link)
    return links
