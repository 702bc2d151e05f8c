from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import jax
import pytest
from golden_jax import EVERY_JAX, GOLDEN_JAX, ONE_JAX, SELDOM, SLOW_ELSEWHERE, Golden
from hypothesis import settings

from jaxviz.capture._hooks import restored_thread_hook
from jaxviz.session.session import Session

TESTS = Path(__file__).parent
ROOT = TESTS.parent
FILES = sorted(TESTS.rglob("test_*.py"))
OTHER_JAX = jax.__version__ != GOLDEN_JAX

# A busy machine fails no test, and an example that does fail one comes with how to run it again.
settings.register_profile("jaxviz", deadline=None, print_blob=True)
settings.load_profile("jaxviz")


@pytest.fixture(autouse=True)
def no_hidden_nan_checks() -> Iterator[None]:
    """A test that uses `with jax.debug_nans(…)` leaves `jax_debug_nans` at work in this thread."""
    with restored_thread_hook():
        yield


def pytest_configure() -> None:
    """Refuses a file of tests whose folder does not say on which JAX it runs."""
    known = EVERY_JAX | SELDOM | ONE_JAX
    lost = [str(path.relative_to(ROOT)) for path in FILES if folder(path) not in known]
    if lost:
        raise pytest.UsageError(f"not in a folder that `tests/golden_jax.py` names: {lost}")


def pytest_report_header(config: pytest.Config) -> list[str]:
    left = [path for path in FILES if left_out(path, config)]
    folders = ", ".join(sorted({folder(path) for path in left}))
    said = f"not run on this JAX: {len(left)} of {len(FILES)} files of tests, all of {folders}"
    return [f"jax {jax.__version__}", *([said] if left else [])]


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Modules that are left out may need what environments of another JAX lack."""
    return left_out(collection_path, config) or None


def left_out(path: Path, config: pytest.Config) -> bool:
    """True for files whose tests this JAX does not run; `--slow` runs those that seldom differ."""
    out = ONE_JAX if config.getoption("--slow") else ONE_JAX | SELDOM
    return OTHER_JAX and path.is_relative_to(TESTS) and folder(path) in out


def folder(path: Path) -> str:
    """The folder below `tests/` of this file."""
    return path.relative_to(TESTS).parts[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write the golden programs anew")
    parser.addoption("--slow", action="store_true", help="run the tests marked slow, and no others")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests marked slow are run by `make test-all` alone; elsewhere they are counted as skipped."""
    for item in items:
        if OTHER_JAX and (item.path.stem in SLOW_ELSEWHERE or folder(item.path) in SELDOM):
            item.add_marker(pytest.mark.slow)
    if config.getoption("--slow"):
        items[:] = [item for item in items if item.get_closest_marker("slow")]
        return
    for item in items:
        if item.get_closest_marker("slow"):
            item.add_marker(pytest.mark.skip(reason="slow: `make test-all` runs it"))


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-golden"))


@pytest.fixture
def golden(update_golden: bool) -> Golden:
    """The text of a golden file, which `--update-golden` first makes the text that is given."""

    def text_of(path: Path, text: str) -> str:
        if update_golden:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return path.read_text(encoding="utf-8")

    return text_of


@pytest.fixture(autouse=True, scope="module")
def what_is_alive_stays() -> None:
    """Freezes objects that other modules left in memory: visiting them takes each collection a
    second. Caches of JAX 0.6 hold functions that only the caches refer to."""
    gc.collect()
    if jax.__version_info__ >= (0, 7):
        gc.freeze()


@pytest.fixture(autouse=True)
def in_the_project(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths in programs are relative to the working directory."""
    monkeypatch.chdir(ROOT)


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """A pipe: who reads it waits until somebody writes."""
    made = tmp_path / "pipe"
    os.mkfifo(made)
    return made


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Session:
    """Forgets the traces of other tests, which made functions of the same code."""
    fresh = Session()
    monkeypatch.setattr(sys.modules["jaxviz.watch"], "session", fresh)
    return fresh
