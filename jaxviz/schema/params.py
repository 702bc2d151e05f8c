"""The parameters of an eqn: as text, and as values for calculations, equal in all stages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from jaxviz.schema.record import Record


class Param(Record, frozen=True):
    """One parameter of an eqn, as readable text.

    Parameters that only describe the roles of operands are left out: `Eqn.roles` has these.
    """

    name: str
    value: str
    """At most 400 characters. For an array only its type."""
    size: int
    """The number of characters of the whole value: larger than that of `value` if it was cut."""


def param_of(params: Iterable[Param], name: str) -> str:
    """Find the text of a parameter; empty if there is none of that name."""
    return next((param.value for param in params if param.name == name), "")


class Dot(Record, frozen=True, tag_field="kind", tag="dot"):
    """The dimensions of the two operands of a matrix product."""

    lhs: tuple[int, ...]
    """The dimensions of the first operand that are summed over, each together with the dimension of
    the second operand at the same index of `rhs`."""
    rhs: tuple[int, ...]
    lhs_batch: tuple[int, ...]
    rhs_batch: tuple[int, ...]


class Convolution(Record, frozen=True, tag_field="kind", tag="convolution"):
    """The dimensions and the window of a convolution."""

    lhs: str
    """A letter for each dimension of the first operand, the same as in XLA: `b` (batch), `f`
    (feature), or the number of a spatial dimension."""
    rhs: str
    """The same for the kernel: `i` (input feature), `o` (output feature), or a number."""
    out: str
    strides: tuple[int, ...]
    """For each spatial dimension, the same as the next three fields."""
    padding: tuple[int, ...]
    """Before the first element; negative if elements are cut off."""
    lhs_dilation: tuple[int, ...]
    rhs_dilation: tuple[int, ...]
    activated: bool
    """True if a library applies a function to each element of the result."""


def labels(spatial: Iterable[int], **others: int) -> str:
    """The letters of a `Convolution`, from its spatial dimensions in their order and its others."""
    at = {dimension: str(number) for number, dimension in enumerate(spatial)}
    at |= {dimension: letter for letter, dimension in others.items()}
    return "".join(at[dimension] for dimension in sorted(at))


def xla_labels(numbers: Any) -> dict[str, str]:
    """The letters of each side, from XLA's `ConvolutionDimensionNumbers` or StableHLO's, which have
    the same fields."""
    return {
        "lhs": labels(
            numbers.input_spatial_dimensions,
            b=numbers.input_batch_dimension,
            f=numbers.input_feature_dimension,
        ),
        "rhs": labels(
            numbers.kernel_spatial_dimensions,
            i=numbers.kernel_input_feature_dimension,
            o=numbers.kernel_output_feature_dimension,
        ),
        "out": labels(
            numbers.output_spatial_dimensions,
            b=numbers.output_batch_dimension,
            f=numbers.output_feature_dimension,
        ),
    }


class Sizes(Record, frozen=True, tag_field="kind", tag="sizes"):
    """The sizes of a reduced window, of a Fourier transform, or of a random array."""

    sizes: tuple[int, ...]


class Dimensions(Record, frozen=True, tag_field="kind", tag="dimensions"):
    """The dimensions that an eqn reduces, joins, permutes or accumulates along."""

    dimensions: tuple[int, ...]


class Groups(Record, frozen=True, tag_field="kind", tag="groups"):
    """The groups of devices that communicate in a collective."""

    axes: tuple[str, ...]
    """The named axes of a jaxpr along which the groups extend."""
    count: int
    """The number of groups; 0 if not known."""
    size: int
    """The number of devices of the largest group; 0 if not known."""
    devices: tuple[int, ...]
    """The devices, group after group. Smaller groups are filled up with -1. Empty if `dims` has
    them, and if there are more than 4,096."""
    dims: tuple[int, ...]
    """The sizes of the grid on which the devices are numbered. To list the devices of the groups,
    go through the grid in `order`, its last dimension fastest. Each `size` devices are a group."""
    order: tuple[int, ...]
    dimensions: tuple[int, ...]
    """The dimension along which HLO joins what is gathered."""


class Pairs(Record, frozen=True, tag_field="kind", tag="pairs"):
    """Pairs of devices: a sender and a receiver."""

    axes: tuple[str, ...]
    """The named axes of a jaxpr along which they send."""
    sources: tuple[int, ...]
    targets: tuple[int, ...]


class MeshAxis(Record, frozen=True):
    """One axis of a mesh of devices, and its number of devices."""

    name: str
    size: int


class Manual(Record, frozen=True, tag_field="kind", tag="manual"):
    """The mesh of an eqn whose body runs on each device, with a part of the operands."""

    mesh: tuple[MeshAxis, ...]
    axes: tuple[str, ...]
    """The axes that are split manually; XLA's partitioner splits the others."""


class Sharding(Record, frozen=True, tag_field="kind", tag="sharding"):
    """The sharding that an eqn sets. An eqn that leaves a dimension to XLA does not have it."""

    spec: str
    """The same as `Aval.sharding`, or `P()` if nothing is split."""
    mesh: tuple[MeshAxis, ...]
    memory: str
    """The kind of memory; empty if the program does not set it."""


Attributes = Dot | Convolution | Sizes | Dimensions | Groups | Pairs | Manual | Sharding
"""The params of an eqn as values, read from the objects of JAX or XLA."""

MOST_DEVICES = 4096
"""If there are more devices, groups are counted but not listed."""


def in_order(dims: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """The devices of a grid with these dimensions, listed along the dimensions in this order."""
    steps = [math.prod(dims[at + 1 :]) for at in range(len(dims))]
    places = product(*(range(dims[at]) for at in order))
    return tuple(
        sum(steps[at] * one for at, one in zip(order, place, strict=True)) for place in places
    )
