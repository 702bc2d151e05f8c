"""The colours of a picture. As `js/style/colours.css`."""

from __future__ import annotations

from typing import NamedTuple


class Theme(NamedTuple):
    ground: str
    ink: str
    faint: str
    """Of text that matters less: types, notes, counts."""
    edge: str
    paints: dict[str, tuple[str, str]]
    """Fill and line of what is bound or returned, of groups, and of each family."""
    changes: dict[str, tuple[str, str]]
    """The same of what differs between two programs, and of what does not."""


LIGHT = Theme(
    ground="#ffffff",
    ink="#1c2024",
    faint="#5b6570",
    edge="#8f98a3",
    paints={
        "pill": ("#ffffff", "#7f8994"),
        "group": ("#eef1f5", "#9aa5b1"),
        "elementwise": ("#eaf3ea", "#5ba05e"),
        "contraction": ("#deeaf8", "#025bc9"),
        "reduction": ("#fcece4", "#eb6f2d"),
        "movement": ("#f7f7f7", "#939495"),
        "control": ("#e8e3ee", "#4c2979"),
        "random": ("#f0ece3", "#88702a"),
        "collective": ("#e0eff1", "#128790"),
        "call": ("#f3e2ec", "#a21f6d"),
        "other": ("#e9e8e8", "#524e4c"),
    },
    changes={
        "added": ("#ddf3e6", "#0b7a48"),
        "removed": ("#fbe7dd", "#c04a10"),
        "changed": ("#dfe8fb", "#2a3db0"),
        "retyped": ("#f3f0f7", "#85789c"),
        "same": ("#fafbfc", "#b4bcc5"),
    },
)

DARK = Theme(
    ground="#16181b",
    ink="#e7e9ec",
    faint="#a3adb8",
    edge="#717b87",
    paints={
        "pill": ("#1e2125", "#818b97"),
        "group": ("#25292f", "#65707c"),
        "elementwise": ("#2a332b", "#8eb87a"),
        "contraction": ("#263242", "#73b3ff"),
        "reduction": ("#3b261c", "#ed6a1f"),
        "movement": ("#202224", "#777778"),
        "control": ("#2e283f", "#a675ef"),
        "random": ("#3b3318", "#efb80c"),
        "collective": ("#193d41", "#29effc"),
        "call": ("#342a32", "#c882a4"),
        "other": ("#353436", "#cbbeba"),
    },
    changes={
        "added": ("#143426", "#3fd08e"),
        "removed": ("#44261a", "#f57a3c"),
        "changed": ("#1f2f52", "#94a6ff"),
        "retyped": ("#2a2633", "#8b80a0"),
        "same": ("#1b1e21", "#555e68"),
    },
)
