"""Clauses in rows and lists: why XLA added an instruction, what differs between calls, where a NaN is."""

from __future__ import annotations

from collections.abc import Mapping

_REDUCED = "dimension {dims} of {value} is split along {axes}: each device reduces {part} of {of}, and their results are combined"
_SEVERAL = "dimensions {dims} of {value} are together split along {axes}: each device reduces {part} of {of} places, and their results are combined"
_IN_STEPS = " in {steps} steps; this is step {step}"
_AT_ONCE = " (sent together, {values} values in one operation)"
_PASSED = "dimension {dim} of {value} is split along {axes}: each device sends {sent} of its {held} places to the "
_BEFORE = "dimension {dim} of {value} is split along {axes} before this, and "

CLAUSES: Mapping[str, str | tuple[str, str]] = {
    "reduced": _REDUCED,
    "reduced in steps": _REDUCED + _IN_STEPS,
    "reduced at once": _REDUCED + _AT_ONCE,
    "several reduced": _SEVERAL,
    "several reduced in steps": _SEVERAL + _IN_STEPS,
    "several reduced at once": _SEVERAL + _AT_ONCE,
    "gathered": _BEFORE + "whole on each device after it",
    "gathered in slices": _BEFORE + "whole on each device after it (a slice of it at a time)",
    "other split": _BEFORE + "dimension {other} after it",
    "passed on": _PASSED + "next",
    "passed back": _PASSED + "previous",
    "cast, shared": "a cast, because XLA computes in {wide} here; the program uses {narrow}",
    "cast": "a cast, because XLA computes {op} of {narrow} in {wide} here",
    "copy of layout": "a copy into the layout that the next instruction needs",
    "copy of memory": "a copy, so that a value still in use is not overwritten",
    "moved between devices": "values moved between devices, as XLA's partitioner chose",
    "of scan": "scan, index {number}",
    "of while": "while, iteration {number}",
    "of cond": "cond, branch {branch}",
    "other lowering": "the jaxprs are equal, but their StableHLO differs",
    "other jaxprs": "their jaxprs differ",
    "other function": "the function is {other}, not {one}",
    "other jax": "{why} (jax {other}, not {one})",
    "other eqns": "their eqns differ",
    "eqns in another order": "their eqns are the same operations in another order",
    "is another": "{where} is {after}, not {before}",
    "is there": "{where} is there",
    "is missing": "{where} is missing",
    "more differ": ("{count} more differs", "{count} more differ"),
    "other values": "other values",
    "input": "input {number}",
    "narrowed": "{which} taken as {taken}",
    "by position": "by position",
    "by keyword": "by keyword",
    "left out": "left out",
    "absent": "absent",
    "no mesh": "no mesh",
    "uncommitted": "uncommitted",
    "committed to": "committed to {devices}",
    "tuple": "tuple of {size}",
    "list": "list of {size}",
    "empty tuple": "empty tuple",
    "empty list": "empty list",
    "empty dict": "empty dict",
    "weak": "weak",
    "not weak": "not weak",
}
