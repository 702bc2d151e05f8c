"""Reads the user's objects without running any of their code.

`isinstance`, `hasattr`, `getattr`, `vars`, `==`, `in` and `kind.__name__` may run the user's
`__class__`, property, `__getattr__`, `__eq__`, `__hash__` or metaclass. These functions read the
type that Python has stored, its namespace, and the dict and the slots of the object.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from functools import partial
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
    TracebackType,
)
from typing import Any, TypeGuard, TypeVar

from jaxviz.capture.shown.source import file_kind
from jaxviz.capture.shown.strings import exact
from jaxviz.capture.weak import Weak

Kind = TypeVar("Kind")
_OF_TYPES = type.__dict__
_MRO: Any = _OF_TYPES["__mro__"]
_NAMESPACE: Any = _OF_TYPES["__dict__"]
_NAME: Any = _OF_TYPES["__name__"]
_QUALIFIED: Any = _OF_TYPES["__qualname__"]
_MODULE: Any = _OF_TYPES["__module__"]
_FLAGS: Any = _OF_TYPES["__flags__"]
_HEAP_TYPE = 1 << 9
_LIBRARIES = ("jax", "jaxlib", "numpy", "ml_dtypes")
PARTIAL = partial.__dict__
"""The descriptors of a partial's `func`, `args` and `keywords`. A user's subclass cannot intercept
them."""
MISSING: Any = object()
"""The value of an attribute that an object does not have, or that only its own code computes."""


class Types:
    """A set of types. A lookup runs no `__hash__` or `__eq__` of a metaclass."""

    def __init__(self, *kinds: type) -> None:
        self.kinds = kinds
        self._identities = frozenset(map(id, kinds))

    def __contains__(self, kind: type) -> bool:
        return id(kind) in self._identities

    def has_all_of(self, values: Iterable[Any]) -> bool:
        """True if the types of all values are in it."""
        return self._identities.issuperset(map(id, map(type, values)))


FUNCTIONS = Types(FunctionType, MethodType, BuiltinFunctionType)
"""They have no subclasses."""


def title_of(kind: type) -> str:
    """The name of a class."""
    return exact(_NAME.__get__(kind))


def qualified_of(kind: type) -> str:
    return exact(_QUALIFIED.__get__(kind))


def module_of(kind: type) -> str:
    """The `__module__` of a class; empty if it is no string."""
    found = _MODULE.__get__(kind)
    return found if type(found) is str else ""


def bases_of(kind: type) -> tuple[type, ...]:
    """A class and its bases, in Python's order for attribute lookup."""
    return _MRO.__get__(kind)


def namespace_of(kind: type) -> Any:
    """The attributes that the class itself defines, by name."""
    return _NAMESPACE.__get__(kind)


def inherits(kind: type, *kinds: type) -> bool:
    """True if a class is one of these, or derived from one."""
    bases = bases_of(kind)
    for one in kinds:
        if issubclass(kind, one) if type(one) is type else any(base is one for base in bases):
            return True
    return False


def is_a(value: Any, *kinds: type[Kind]) -> TypeGuard[Kind]:
    """Like `isinstance`, but ignores the object's own `__class__`. Objects of JAX and NumPy types
    are tested by `isinstance` itself."""
    kind = type(value)
    return isinstance(value, kinds) if is_library_type(kind) else inherits(kind, *kinds)


def is_class(value: Any) -> TypeGuard[type]:
    return inherits(type(value), type)


_library_types: Weak[bool] = Weak()


def is_library_type(kind: type) -> bool:
    """True for a type of JAX or NumPy, whose text contains no values of arrays. The type's own
    claim is not enough: its module must have it under its name. The claim of a type that C defines
    is safe."""
    found = _library_types.get(kind)
    if found is None:
        found = _is_library_type(kind)
        _library_types.set(kind, found)
    return found


def _is_library_type(kind: type) -> bool:
    module = module_of(kind)
    package = module.partition(".")[0]
    if package not in _LIBRARIES:
        return False
    if not _FLAGS.__get__(kind) & _HEAP_TYPE:
        return True
    places = (sys.modules.get(module), sys.modules.get(package))
    return any(_has(place, kind) for place in places if _is_in(package, place))


_installed: Weak[bool] = Weak()


def is_installed(kind: type) -> bool:
    """True for a class of an installed package, whose properties may be read."""
    found = _installed.get(kind)
    if found is None:
        module = sys.modules.get(module_of(kind))
        file = vars_of(module).get("__file__") if inherits(type(module), ModuleType) else None
        installed = type(file) is str and file_kind(file) == "installed"
        found = installed and _has(module, kind)
        _installed.set(kind, found)
    return found


def _has(found: Any, kind: type) -> bool:
    """True if a module has a class under the class's own name."""
    for part in qualified_of(kind).split("."):
        space = namespace_of(found) if is_class(found) else vars_of(found)
        found = space.get(part, MISSING)
    return found is kind


def _is_in(package: str, module: Any) -> bool:
    """True if a module's file is in the folder of its package, or if it is C code of `jaxlib`."""
    if not inherits(type(module), ModuleType):
        return False
    root, file = vars_of(sys.modules.get(package)).get("__file__"), vars_of(module).get("__file__")
    if type(file) is not str:
        return package == "jaxlib"
    return type(root) is str and file.startswith(os.path.dirname(root) + os.sep)


def class_attribute(kind: type, name: str) -> Any:
    """The attribute of a class or its bases, as it is stored; `MISSING` if there is none."""
    for base in bases_of(kind):
        found = namespace_of(base).get(name, MISSING)
        if found is not MISSING:
            return found
    return MISSING


def vars_of(value: Any) -> dict[str, Any]:
    """The attributes in the object's own `__dict__`."""
    kind = type(value)
    for base in bases_of(kind):
        found = namespace_of(base).get("__dict__")
        if type(found) in _DESCRIPTORS and not is_class(value):
            own = found.__get__(value, kind)
            return own if type(own) is dict else {}
    return {}


_PYTHONS = Types(CodeType, ModuleType)
_DESCRIPTORS = Types(GetSetDescriptorType, MemberDescriptorType)


def slots_of(value: Any) -> Iterator[tuple[str, Any]]:
    """The attributes in the object's slots."""
    for base in bases_of(type(value)):
        for key, member in namespace_of(base).items():
            if type(member) is MemberDescriptorType and not key.startswith("__"):
                try:
                    yield key, member.__get__(value)
                except AttributeError:
                    continue


_OF_CLASSES = {"__name__": title_of, "__qualname__": qualified_of, "__module__": module_of}


def attribute(value: Any, name: str, otherwise: Any = None) -> Any:
    """An attribute that can be read without running user code: any attribute of a function or of an
    installed package's object; else one in the object's dict or slots, or one of its class that is
    no descriptor."""
    kind = type(value)
    if is_class(value):
        read = _OF_CLASSES.get(name)
        found = read(value) if read else class_attribute(value, name)
        return otherwise if found is MISSING else found
    if kind is MethodType and name not in ("__self__", "__func__"):
        return attribute(value.__func__, name, otherwise)
    if kind in FUNCTIONS or kind in _PYTHONS or is_library_type(kind) or is_installed(kind):
        try:
            return getattr(value, name, otherwise)
        except Exception:
            return otherwise
    own = vars_of(value)
    if name in own:
        return own[name]
    found = class_attribute(kind, name)
    if type(found) in _DESCRIPTORS:
        try:
            return found.__get__(value, kind)
        except AttributeError:
            return otherwise
    is_computed = found is MISSING or has_class_attribute(type(found), "__get__")
    return otherwise if is_computed else found


def has_class_attribute(kind: type, *names: str) -> bool:
    """True if a class or its bases define all of these."""
    return all(class_attribute(kind, name) is not MISSING for name in names)


def has_attribute(value: Any, name: str) -> bool:
    """True if an object has an attribute that can be found without running its code."""
    if type(value) is MethodType:
        return has_attribute(value.__func__, name)
    kind = value if is_class(value) else type(value)
    return name in vars_of(value) or has_class_attribute(kind, name)


def dataclass_fields(kind: type) -> list[Any]:
    """The fields of a dataclass; none for other classes."""
    found = class_attribute(kind, "__dataclass_fields__")
    return list(found.values()) if type(found) is dict else []


def compared_fields(kind: type) -> set[str] | None:
    """The fields that the generated `__eq__` of a dataclass compares; None for any other class."""
    fields = dataclass_fields(kind)
    is_made = bool(fields) and is_generated(namespace_of(kind).get("__eq__"))
    return {field.name for field in fields if field.compare} if is_made else None


def is_generated(method: Any) -> bool:
    """True if `dataclasses` generated a method."""
    return attribute(attribute(method, "__code__"), "co_filename") == "<string>"


def has_base(kind: type, module: str, names: Iterable[str]) -> bool:
    """True if a class or one of its bases has one of these names, in a module whose name begins
    with `module`."""
    return any(
        title_of(base) in names and module_of(base).startswith(module) for base in bases_of(kind)
    )


def static_attribute(value: Any, name: str, otherwise: Any) -> Any:
    """Like `inspect.getattr_static`, also for objects with a user's metaclass."""
    own = MISSING if is_class(value) else vars_of(value).get(name, MISSING)
    if own is MISSING:
        own = class_attribute(value if is_class(value) else type(value), name)
    return otherwise if own is MISSING else own


def is_hashable(value: Any) -> bool:
    """True if an object, or each part of a tuple, has a `__hash__`, which does not run."""
    if type(value) is tuple:
        return all(map(is_hashable, value))
    return class_attribute(type(value), "__hash__") is not None


_ERROR = BaseException.__dict__


def cause_of(error: BaseException) -> BaseException | None:
    return _ERROR["__cause__"].__get__(error)


def context_of(error: BaseException) -> BaseException | None:
    return _ERROR["__context__"].__get__(error)


def traceback_of(error: BaseException) -> TracebackType | None:
    return _ERROR["__traceback__"].__get__(error)


def notes_of(error: BaseException) -> list[str]:
    """The notes of an exception that are text."""
    found = vars_of(error).get("__notes__")
    return [note for note in found if type(note) is str] if type(found) is list else []


def error_arguments(error: BaseException) -> tuple[Any, ...]:
    return _ERROR["args"].__get__(error)


def dtype_of(value: Any) -> str:
    """The dtype of a JAX or NumPy array; empty for anything else."""
    has_dtype = is_library_type(type(value)) and has_attribute(value, "dtype")
    return str(attribute(value, "dtype")) if has_dtype else ""
