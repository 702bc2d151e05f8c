"""Objects that record who runs their code: each special method, attribute, property and hook of
their metaclass notes the frame that asked."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jaxviz

OURS = str(Path(jaxviz.__file__).parent) + os.sep
_PYTHON = (sysconfig.get_path("stdlib") + os.sep, "<frozen")
_SITE = "site-packages"


class Call(NamedTuple):
    """A piece of the canary's code that ran."""

    asked: str
    """`__hash__`, `.shape`, `Meta.__eq__`."""
    file: str
    """The file of the frame that ran it; of Python's own modules, of the frame that called them."""
    place: str


calls: list[Call] = []


def note(asked: str) -> None:
    frame: Any = sys._getframe(2)
    path: list[str] = []
    while frame is not None and _is_pythons(frame.f_code.co_filename):
        path.append(frame.f_code.co_name)
        frame = frame.f_back
    if frame is not None:
        code = frame.f_code
        place = f"{code.co_filename}:{frame.f_lineno} {code.co_name} {path}"
        calls.append(Call(asked, code.co_filename, place))


def _is_pythons(file: str) -> bool:
    return file.startswith(_PYTHON) and _SITE not in file


def ours() -> list[str]:
    """The canary's code that a frame of jaxviz ran, and the place of that frame. An exception that
    passes a `with` statement is asked for its traceback by `contextlib`, from Python 3.12 on."""
    found = {f"{one.asked} {one.place}" for one in calls if one.file.startswith(OURS)}
    return sorted(one for one in found if not one.endswith("['__exit__']"))


def recording(of: type, name: str, owner: str = "") -> Callable[..., Any]:
    """A special method that records and does what that of `of` does, if there is one."""

    def method(self: Any, *args: Any) -> Any:
        note(f"{owner}{name}")
        return getattr(of, name)(self, *args)

    method.__name__ = name
    return method


def refusing(name: str) -> Callable[..., Any]:
    """A special method that records and raises."""

    def method(self: Any, *args: Any) -> Any:
        note(name)
        raise TypeError(f"the canary has no {name}")

    method.__name__ = name
    return method


_INHERITED = (
    *("__hash__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__repr__"),
    *("__str__", "__format__", "__dir__", "__sizeof__", "__reduce_ex__", "__reduce__"),
)
_REFUSED = (
    *("__len__", "__iter__", "__next__", "__contains__", "__getitem__", "__index__", "__int__"),
    *("__float__", "__complex__", "__bytes__", "__fspath__", "__array__", "__length_hint__"),
    *("__add__", "__radd__", "__mul__", "__rmul__", "__neg__", "__abs__", "__reversed__"),
    *("__copy__", "__deepcopy__", "__enter__", "__exit__", "__await__", "__getstate__"),
)


class Meta(type):
    """The metaclass of canaries."""

    def __getattribute__(cls, name: str) -> Any:
        note(f"Meta.{name}")
        return type.__getattribute__(cls, name)

    def __getattr__(cls, name: str) -> Any:
        note(f"Meta.{name} (missing)")
        raise AttributeError(name)

    def __instancecheck__(cls, instance: Any) -> bool:
        note("Meta.__instancecheck__")
        return type.__instancecheck__(cls, instance)

    def __subclasscheck__(cls, kind: Any) -> bool:
        note("Meta.__subclasscheck__")
        return type.__subclasscheck__(cls, kind)


for _name in ("__hash__", "__eq__", "__ne__", "__repr__", "__str__", "__dir__", "__or__"):
    setattr(Meta, _name, recording(type, _name, "Meta."))


def _attribute(self: Any, name: str) -> Any:
    note(f".{name}")
    return object.__getattribute__(self, name)


def _missing(self: Any, name: str) -> Any:
    note(f".{name} (missing)")
    raise AttributeError(name)


def _set(self: Any, name: str, value: Any) -> None:
    note(f".{name} =")
    object.__setattr__(self, name, value)


def _bool(self: Any) -> bool:
    note("__bool__")
    return True


def _call(self: Any, *args: Any) -> Any:
    note("__call__")
    return args[0]


def _class(self: Any) -> Any:
    note("__class__")
    return dict


def _body() -> dict[str, Any]:
    held: dict[str, Any] = {name: recording(object, name) for name in _INHERITED}
    held |= {name: refusing(name) for name in _REFUSED}
    held |= {"__getattribute__": _attribute, "__getattr__": _missing, "__setattr__": _set}
    held |= {"__bool__": _bool, "__class__": property(_class)}
    return held


Canary: Any = Meta("Canary", (), {**_body(), "__module__": "jax.evil"})
"""Records each use. Its module is a lie, as is its `__class__`."""
CallableCanary: Any = Meta("CallableCanary", (), {**_body(), "__call__": _call})
"""A canary that can be called, as a callback or a function is."""


class ErrorMeta(Meta):
    """Python itself asks for the subclasses of an exception's class when it raises it again."""

    def __subclasscheck__(cls, kind: Any) -> bool:
        return type.__subclasscheck__(cls, kind)


CanaryError: Any = ErrorMeta(
    "CanaryError",
    (ValueError,),
    {
        **{
            name: recording(ValueError, name)
            for name in ("__str__", "__repr__", "__hash__", "__eq__")
        },
        "__getattribute__": _attribute,
        "args": property(lambda self: note("args")),
    },
)
"""An exception that records."""
