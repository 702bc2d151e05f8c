"""Reads XLA's serialized modules with the protobuf runtime."""

from __future__ import annotations

import base64
from functools import cache
from typing import Any

from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass

from jaxviz.capture.hlo.descriptor import FILE


def module_of(serialized: bytes) -> Any:
    """The `HloModuleProto`. Fields that hlo.proto does not name are kept, unread."""
    found = _pool().FindMessageTypeByName("jaxviz.xla.HloModuleProto")
    return GetMessageClass(found).FromString(serialized)


@cache
def primitive_types() -> dict[int, str]:
    """XLA's names of element types (`f32`, `pred`, `tuple`) by their numbers."""
    found = _pool().FindEnumTypeByName("jaxviz.xla.PrimitiveType")
    return {value.number: value.name.lower().removesuffix("_type") for value in found.values}


@cache
def _pool() -> DescriptorPool:
    """A pool of our own: another library may have put its version of the messages into the
    process's default pool."""
    pool = DescriptorPool()
    pool.AddSerializedFile(base64.b64decode(FILE))
    return pool
