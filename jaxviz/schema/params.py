"""The parameters of an eqn: as text, and those that the kernel and the page calculate with as
values, which are the same in all stages."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import product
from typing import Any

from jaxviz.schema.record import Record


class Param(Record, frozen=True):
    """One parameter of an eqn, as readable text.

    Parameters that only say what the operands are to the eqn are left out: `Eqn.roles` has that.
    """

    name: str
    value: str
    """At most 400 characters. Arrays are never written out, only their type."""
    size: int
    """How many characters the whole value has: more than `value` where it was cut."""


def param_of(params: Iterable[Param], name: str) -> str:
    """Find the text of a parameter; empty where there is none of that name."""
    return next((param.value for param in params if param.name == name), "")


class Dot(Record, frozen=True, tag_field="kind", tag="dot"):
    """The dimensions of the two operands of a matrix product."""

    lhs: tuple[int, ...]
    """The dimensions of the first operand that are summed over, each with the one of the second
    operand that stands at the same place of `rhs`."""
    rhs: tuple[int, ...]
    lhs_batch: tuple[int, ...]
    rhs_batch: tuple[int, ...]


class Convolution(Record, frozen=True, tag_field="kind", tag="convolution"):
    """The dimensions and the window of a convolution."""

    lhs: str
    """A letter for each dimension of the first operand, as XLA has them: `b` (batch), `f`
    (feature), or the number of a spatial dimension."""
    rhs: str
    """The same for the kernel: `i` (input feature), `o` (output feature), or a number."""
    out: str
    strides: tuple[int, ...]
    """For each spatial dimension. So are the next three."""
    padding: tuple[int, ...]
    """Before the first element; negative where elements are cut off."""
    lhs_dilation: tuple[int, ...]
    rhs_dilation: tuple[int, ...]
    activated: bool
    """Whether a library applies a function to each element of the result."""


def labels(spatial: Iterable[int], **others: int) -> str:
    """Write the letters of a `Convolution`: of its spatial dimensions, in their order, and of the
    others."""
    at = {dimension: str(number) for number, dimension in enumerate(spatial)}
    at |= {dimension: letter for letter, dimension in others.items()}
    return "".join(at[dimension] for dimension in sorted(at))


def xla_labels(numbers: Any) -> dict[str, str]:
    """Write the letters of each side from XLA's `ConvolutionDimensionNumbers`, whose names
    StableHLO uses, too."""
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
    """The sizes of a window that is reduced, of a Fourier transform, or of what is drawn at
    random."""

    sizes: tuple[int, ...]


class Dimensions(Record, frozen=True, tag_field="kind", tag="dimensions"):
    """The dimensions that an eqn reduces, joins, permutes or accumulates along."""

    dimensions: tuple[int, ...]


class Groups(Record, frozen=True, tag_field="kind", tag="groups"):
    """The groups of devices that exchange with each other in a collective."""

    axes: tuple[str, ...]
    """The named axes of a jaxpr along which they lie."""
    count: int
    """How many groups there are; 0 where it is not said."""
    size: int
    """How many devices the largest group has; 0 where it is not said."""
    devices: tuple[int, ...]
    """The devices, group after group, with -1 where a group is smaller than `size`. Empty where
    `dims` counts them, and where there are more than 4,096."""
    dims: tuple[int, ...]
    """The sizes of the grid on which the devices are numbered. To list the devices of the groups,
    go through the grid in `order`, its last dimension fastest. Each `size` devices are a group."""
    order: tuple[int, ...]
    dimensions: tuple[int, ...]
    """The dimension along which HLO joins what is gathered."""


class Pairs(Record, frozen=True, tag_field="kind", tag="pairs"):
    """Which device sends to which."""

    axes: tuple[str, ...]
    """The named axes of a jaxpr along which they lie."""
    sources: tuple[int, ...]
    targets: tuple[int, ...]


class MeshAxis(Record, frozen=True):
    """One axis of a mesh of devices, and how many there are along it."""

    name: str
    size: int


class Manual(Record, frozen=True, tag_field="kind", tag="manual"):
    """The mesh on whose devices an eqn runs its body, each on a part of the operands."""

    mesh: tuple[MeshAxis, ...]
    axes: tuple[str, ...]
    """The axes that are split by hand; the others are left to XLA's partitioner."""


class Sharding(Record, frozen=True, tag_field="kind", tag="sharding"):
    """How an eqn splits its value over devices. No eqn has it that leaves a dimension to XLA."""

    spec: str
    """As `Aval.sharding` has it, and `P()` where nothing is split."""
    mesh: tuple[MeshAxis, ...]
    memory: str
    """The kind of memory; empty where the program does not say it."""


Attributes = Dot | Convolution | Sizes | Dimensions | Groups | Pairs | Manual | Sharding
"""What the params of an eqn say, read where JAX or XLA has them as objects."""

MOST_DEVICES = 4096
"""Groups of more devices are counted, and not listed."""


def in_order(dims: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """List the devices that are numbered along `dims`, counted along these in another order."""
    steps = [math.prod(dims[at + 1 :]) for at in range(len(dims))]
    places = product(*(range(dims[at]) for at in order))
    return tuple(
        sum(steps[at] * one for at, one in zip(order, place, strict=True)) for place in places
    )
