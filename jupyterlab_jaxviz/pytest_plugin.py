"""The fixture `jaxviz_check`: `jaxviz.check`, with the kinds that a project allows everywhere.

    def test_step(jaxviz_check):
        jaxviz_check(train_step, allow=["constant"])(state, batch)

`jaxviz_allow = ["upcast"]` in pytest's configuration allows kinds in all tests. pytest loads this
file wherever jaxviz is installed: it imports neither jax nor jaxviz until a test asks for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("jaxviz_allow", "kinds of findings that jaxviz_check allows", "args", [])


@pytest.fixture
def jaxviz_check(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """`jaxviz.check`: raises if a program costs more than it needs to, with all findings."""
    import jaxviz

    everywhere = request.config.getini("jaxviz_allow")

    def check(
        fun: Callable[..., Any], *static: Any, allow: Iterable[str] = (), **named: Any
    ) -> Any:
        own = [allow] if isinstance(allow, str) else [*allow]
        return jaxviz.check(fun, *static, allow=[*everywhere, *own], **named)

    return check
