"""`save` writes the report of every tool in every form, and `jaxviz.load` returns it."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import msgspec
import pytest
from golden_jax import part
from mutated_files import SENTENCE, mutated

import jaxviz
from jaxviz import schema
from jaxviz.load import NotLoadedError
from jaxviz.tools.job.record import ProcessProgram
from jaxviz.tools.job.report import Agreement, Difference


def loss(w: Any, x: Any) -> Any:
    hidden = jnp.log(x @ w)
    return jnp.sum(hidden * 2.0)


LINE = loss.__code__.co_firstlineno + 1
W, X = jnp.eye(3) * 0.123456789, jnp.array([[1.0, 2.0, -3.0]])


def explained() -> jaxviz.Explanation:
    with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
        jax.jit(lambda x: x if x > 0 else -x)(1.0)
    return jaxviz.explain(caught.value)


def watched() -> jaxviz.Log:
    double = jax.jit(lambda x: x * 2)
    with jaxviz.watch() as log:
        _ = double(jnp.ones(3)), double(jnp.ones(4))
    return log


def reversed_twice(x: Any) -> Any:
    return jnp.sin(x[::-1][::-1])


def one(number: int) -> ProcessProgram:
    return ProcessProgram(number, "f", "0.10", str(number % 2), "", 1.0, 0.1, 0.0, 0.0)


def differing() -> Agreement:
    """An agreement of four processes; two have another program."""
    first, other = (jaxviz.inspect(lambda x, n=n: x * n)(jnp.ones(2)) for n in (2.0, 3.0))
    difference = Difference((1, 3), jaxviz.compare(first, other), "n is 3, not 2")
    return Agreement(tuple(map(one, range(4))), (), (), (difference,), 60.0, 0, first)


MAKERS: dict[str, Callable[[], Any]] = {
    "find_nan": lambda: jaxviz.find_nan(loss)(W, X),
    "statistics": lambda: jaxviz.statistics(loss)(W, X),
    "statistics of lines": lambda: jaxviz.statistics(loss, lines=LINE)(W, X),
    "profile": lambda: jaxviz.profile(loss, repeats=2)(W, X),
    "timeit": lambda: jaxviz.timeit(loss, seconds=0)(W, X),
    "timeit of two": lambda: jaxviz.timeit([loss, jax.grad(loss)], seconds=0)(W, X),
    "steps": lambda: jaxviz.steps(loss)(W, X),
    "explain": explained,
    "agree": lambda: jaxviz.agree(jaxviz.inspect(loss)(W, X)),
    "agree, not the same": differing,
    "passes": lambda: jaxviz.passes(jaxviz.inspect(reversed_twice)(jnp.ones(3))),
}
IS_TEXT = {name for name in MAKERS if name.split()[0].strip(",") in ("timeit", "explain", "agree")}


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    return {}


@pytest.fixture(params=MAKERS)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def report(name: str, made: dict[str, Any]) -> Any:
    if name not in made:
        made[name] = MAKERS[name]()
    return made[name]


def again(report: Any, folder: Path) -> Any:
    report.save(folder / "saved.json")
    return jaxviz.load(folder / "saved.json")


def test_load_gives_back_what_was_saved(report: Any, tmp_path: Path) -> None:
    found = again(report, tmp_path)
    assert type(found) is type(report)
    assert found.record == report.record
    assert str(found) == str(report)
    found.save(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "saved.json").read_bytes()


def test_what_was_loaded_is_displayed_as_before(report: Any, name: str, tmp_path: Path) -> None:
    found = again(report, tmp_path)
    if name.startswith("agree"):
        found._ipython_display_()
        return
    shown, before = found._repr_mimebundle_(), report._repr_mimebundle_()
    assert shown[schema.MIME]["report"] == before[schema.MIME]["report"]
    assert shown["text/plain"] == before["text/plain"]
    if hasattr(report, "records"):
        pairs = zip(found.records(), report.records(), strict=True)
        assert all(one.keys() == other.keys() for one, other in pairs)


def test_a_page_has_the_whole_report(report: Any, tmp_path: Path) -> None:
    report.save(tmp_path / "saved.html")
    page = (tmp_path / "saved.html").read_text()
    [told] = re.findall('data-report="(.*?)"', page)
    assert msgspec.json.decode(html.unescape(told), type=type(report.record)) == report.record


def test_a_page_without_scripts_has_the_report_as_text_and_its_picture(
    report: Any, name: str, tmp_path: Path
) -> None:
    report.save(tmp_path / "saved.html")
    [shown] = re.findall("<noscript>(.*?)</noscript>", (tmp_path / "saved.html").read_text(), re.S)
    assert html.escape(str(report)) in shown
    assert ("<img " in shown) == (name not in IS_TEXT)


def test_a_picture_is_svg_and_a_bitmap(report: Any, name: str, tmp_path: Path) -> None:
    report.save(tmp_path / "saved.svg")
    report.save(tmp_path / "saved.png")
    assert (tmp_path / "saved.png").read_bytes().startswith(b"\x89PNG")
    svg = (tmp_path / "saved.svg").read_text()
    if name in IS_TEXT:
        drawn = re.findall("<text [^>]*>(.*?)</text>", svg)
        lines = [html.unescape(line) for line in drawn]
        assert lines == str(report).split("\n")


@pytest.mark.parametrize(
    ("of", "mark"),
    [
        ("find_nan", r'class="\w+ h"'),
        ("profile", r'class="heat\d'),
        ("passes", r'class="\w+ p"'),
        ("steps", r'class="j"'),
        ("statistics", r">f32\[1,3\] 1 NaN<"),
    ],
)
def test_a_picture_has_what_the_report_marks(
    of: str, mark: str, made: dict[str, Any], tmp_path: Path
) -> None:
    found = made.get(of) or MAKERS[of]()
    found.save(tmp_path / "saved.svg")
    found.program.save(tmp_path / "program.svg")
    svg = (tmp_path / "saved.svg").read_text()
    assert re.search(mark, svg)
    again(found, tmp_path).save(tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text() == svg


def test_saved_statistics_have_the_numbers_that_the_view_shows(tmp_path: Path) -> None:
    found = jaxviz.statistics(loss, lines=LINE)(W, X)
    text = json.dumps(json.loads(again_text(found, tmp_path))["report"])
    for value in (0.123456789, 0.2469135, 0.3703703):
        assert f"{value:.5g}" not in text
    numbers = re.findall(r"\d+\.(\d+)", text)
    assert all(len(digits.rstrip("0")) <= 3 for digits in numbers)


def again_text(report: Any, folder: Path) -> str:
    report.save(folder / "saved.json")
    return (folder / "saved.json").read_text()


def test_a_log_is_saved_in_every_form(tmp_path: Path) -> None:
    log = watched()
    for suffix in ("json", "svg", "png", "html"):
        log.save(tmp_path / f"log.{suffix}")
    found = jaxviz.load(tmp_path / "log.json")
    assert isinstance(found, jaxviz.Log)
    assert found.record() == log.record()
    assert (found.retraces, found.again, str(found)) == (log.retraces, log.again, str(log))
    assert found.records() == log.records()
    shown, before = found._repr_mimebundle_(), log._repr_mimebundle_()
    assert shown[schema.LOG_MIME]["log"] == before[schema.LOG_MIME]["log"]
    assert str(found.cache("<lambda>")) == str(log.cache("<lambda>"))
    found.save(tmp_path / "again.svg")
    assert (tmp_path / "again.svg").read_text() == (tmp_path / "log.svg").read_text()
    assert (tmp_path / "log.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match=r"must end in \.json, \.svg, \.png or \.html\.$"):
        log.save(tmp_path / "log.txt")


def test_an_unknown_suffix_is_refused_with_a_sentence(report: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"the file's name must end in \.json, .* or \.hlo\.$"):
        report.save(tmp_path / "saved.pdf")
    assert not (tmp_path / "saved.pdf").exists()


@pytest.mark.parametrize(
    ("of", "change"),
    [
        ("steps", lambda report: report["steps"][0].update(frame=99)),
        ("steps", lambda report: report["steps"][1].update(eqns=[99])),
        ("passes", lambda report: report["passes"][0].update(gone=[99])),
        ("statistics", lambda report: report["lines"][0].update(eqn=-2)),
        ("statistics", lambda report: report.update(tool="unknown")),
        ("profile", lambda report: report.update(measured=None)),
        ("timeit of two", lambda report: report.update(programs=["AAAA", "AAAA"])),
        ("timeit of two", lambda report: report.update(programs=report["programs"][:1])),
    ],
)
def test_a_report_that_does_not_fit_is_refused_with_a_sentence(
    of: str, change: Callable[[Any], None], made: dict[str, Any], tmp_path: Path
) -> None:
    saved = json.loads(again_text(made.get(of) or MAKERS[of](), tmp_path))
    change(saved["report"])
    (tmp_path / "changed.json").write_text(json.dumps(saved))
    with pytest.raises(ValueError, match=r"changed\.json' (is no|does not fit)"):
        jaxviz.load(tmp_path / "changed.json")


def test_the_programs_after_passes_are_not_in_a_file(tmp_path: Path) -> None:
    found = again(MAKERS["passes"](), tmp_path)
    with pytest.raises(ValueError, match="are not in the file"):
        found.stage(1)


def test_a_loaded_cards_fixes_cannot_be_tried(tmp_path: Path) -> None:
    found = again(explained(), tmp_path)
    with pytest.raises(ValueError, match="cannot be tried"):
        found.try_fix(0)


IN_A_RUN = 20


@pytest.mark.parametrize("first", part(range(0, 200, IN_A_RUN), of=10))
def test_a_mutated_report_is_refused_or_can_be_shown_and_saved(
    report: Any, first: int, tmp_path: Path
) -> None:
    report.save(tmp_path / "whole.json")
    for seed in range(first, first + IN_A_RUN):
        use_mutated(tmp_path / "whole.json", seed, tmp_path)


@pytest.mark.parametrize("first", part(range(0, 200, IN_A_RUN), of=10))
def test_a_mutated_log_is_refused_or_can_be_shown_and_saved(first: int, tmp_path: Path) -> None:
    watched().save(tmp_path / "whole.json")
    for seed in range(first, first + IN_A_RUN):
        use_mutated(tmp_path / "whole.json", seed, tmp_path)


def use_mutated(whole: Path, seed: int, folder: Path) -> None:
    """Loads the file with mutations; if that succeeds, shows and saves what it contains."""
    file = folder / "mutated.json"
    file.write_bytes(mutated(seed, [whole]))
    found, refusal = None, ""
    try:
        found = jaxviz.load(file)
    except NotLoadedError as error:
        refusal = str(error)
    if found is None:
        assert SENTENCE.fullmatch(refusal), seed
        return
    assert isinstance(str(found), str)
    for suffix in ("html", "svg", "png", "json"):
        found.save(folder / f"again.{suffix}")
    assert recorded(jaxviz.load(folder / "again.json")) == recorded(found)


def recorded(found: Any) -> Any:
    return found.record() if isinstance(found, jaxviz.Log) else found.record


def test_another_process_shows_an_agreement_that_was_loaded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agreement = replace(differing(), process=1)
    again(agreement, tmp_path)._ipython_display_()
    assert capsys.readouterr().out.startswith(str(agreement).partition("\n")[0])


@pytest.mark.parametrize("times", ["wall", "inside", "between"])
def test_a_profile_without_the_times_of_a_run_is_refused(times: str, tmp_path: Path) -> None:
    saved = json.loads(again_text(MAKERS["profile"](), tmp_path))
    saved["report"]["measured"][times] = []
    (tmp_path / "p.json").write_text(json.dumps(saved))
    with pytest.raises(NotLoadedError, match="the report is damaged"):
        jaxviz.load(tmp_path / "p.json")
