"""The origin of a NaN or an infinity, in sentences."""

from __future__ import annotations

from jaxviz.capture.rerun import effects
from jaxviz.schema.graph import line_text
from jaxviz.tools.nan.record import Hidden, NanOrigin, NanOrigins


def origins_text(function: str, found: NanOrigins) -> str:
    """A report, in a few sentences."""
    has_nan = any(one.kind == "NaN" for one in found.origins)
    lines = [] if has_nan else [_NONE.format(function)]
    lines += [*map(origin_text, found.origins), *effects(found)]
    return "\n".join(lines)


def origin_text(of: NanOrigin) -> str:
    """An origin, in sentences."""
    what = "A NaN" if of.kind == "NaN" else "An infinity"
    who = "it, or another one that joined it on the way," if of.others else "it"
    reached = f"{who} reached {of.result}"
    if of.argument is not None:
        return f"{what} was already in {of.argument}; {reached}."
    if not of.op:
        return f"{what} is a constant that the function returns; {reached}."
    part = "the backward pass of " if of.backward else ""
    line = f" in {part}{line_text(of.frame)}" if of.frame is not None else ""
    around = "".join(f", in {one}" for one in of.around)
    device = "" if of.device is None else f", on device {of.device} of the mesh"
    made = "comes from a constant of" if of.constant else "comes from"
    where = f"{of.op}{line}{around}{device}"
    some = of.index and not of.constant
    index = ", ".join(map(str, of.index))
    which = f" The first one in its {of.type} is element [{index}]." if some else ""
    if of.one_of > 1 and not of.constant:
        which = f" It was one of {of.one_of:,} elements of its {of.type}."
    why = "" if of.hidden is None else f" {why_hidden(of.hidden)}"
    return f"{what} {made} {where}; {reached}.{which}{why}"


def why_hidden(hidden: Hidden) -> str:
    """The reason why a `where` does not help, and the fix."""
    line, other = hidden.choice.line, hidden.at.line
    there = "" if (line, hidden.choice.file) == (other, hidden.at.file) else f" in line {other}"
    return (
        f"The choice in line {line} does not help: JAX also differentiates the branch that is not "
        f"chosen. Choose the input before `{hidden.before}`{there}, with jnp.where."
    )


_NONE = (
    "No result of {} has a NaN in this run. Operations that are fused or run in another order may "
    "round differently, so a NaN of your own run may be missing here."
)
