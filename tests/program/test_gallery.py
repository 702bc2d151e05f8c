"""The gallery's records are what its programs are today, and small enough for the site."""

from __future__ import annotations

import subprocess
import sys
import tomllib

import pytest
from golden_jax import of_the_golden_jax
from planted import ROOT

GALLERY = ROOT / "gallery"
RECORDS = {path.stem: path.stat().st_size for path in GALLERY.glob("records/*.wire")}
MOST_BYTES = {"each": 100_000, "all": 3_000_000}


def test_each_program_has_a_small_record_and_texts() -> None:
    sections = tomllib.loads((GALLERY / "gallery.toml").read_text("utf-8"))["sections"]
    listed = [program for section in sections for program in section["programs"]]
    assert 24 <= len(listed) <= 40
    assert RECORDS.keys() == {one["name"] for one in listed}
    assert max(RECORDS.values()) <= MOST_BYTES["each"]
    assert sum(RECORDS.values()) <= MOST_BYTES["all"]
    for texts in [text for one in listed for text in (one["title"], one["look"])]:
        assert texts.keys() == {"en", "ko"}
        assert all(texts.values())


def check(*options: str) -> str:
    """Differences of records from new captures, in a process of its own with eight devices."""
    command = [sys.executable, str(GALLERY / "capture.py"), "--check", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    print(done.stderr)  # names the programs whose libraries are not installed
    assert done.returncode == bool(done.stdout)
    return done.stdout


@of_the_golden_jax
def test_jaxprs_of_the_gallery_are_as_recorded() -> None:
    assert check("--jaxpr") == ""


@of_the_golden_jax
@pytest.mark.slow
def test_all_stages_of_the_gallery_are_as_recorded() -> None:
    assert check() == ""
