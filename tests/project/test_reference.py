"""The site's reference has all that is public, and settings in the reader's language."""

from __future__ import annotations

import json
import re
import sys

import pytest
from planted import ROOT

import jaxviz
from jaxviz.pages import LANGUAGES

sys.path.append(str(ROOT / "scripts"))

import reference

SETTINGS = json.loads((ROOT / "schema" / "panel.json").read_text("utf-8"))["properties"]


def test_each_public_name_has_one_place() -> None:
    pages = reference.functions("") + reference.classes() + reference.records()
    found = re.findall(r"^\.\. auto\w+:: jaxviz\.(?:schema\.)?(\w+)", pages, re.MULTILINE)
    public = [*found]
    public.remove("Program")  # the record that `Program.record` gives
    assert {*jaxviz.__all__} <= {*public}
    assert len(public) == len({*public})


def test_magics_have_their_options_and_examples() -> None:
    text = reference.magics()
    line, cell = text.split("## `%%jaxviz`")
    for option in ("CALL", "--stage STAGE", "--save FILE", "--find-nan", "-o"):
        assert f"\n`{option}`\n: " in line
    for option in ("--hits", "--max-retraces N"):
        assert f"\n`{option}`\n: " in cell
    assert "\n%jaxviz loss(params, x) --find-nan\n" in line
    assert "\n%%jaxviz --max-retraces 0\nstep(params, batch)\n" in cell


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_setting_has_its_default(language: str) -> None:
    text = reference.settings(language)
    for name, setting in SETTINGS.items():
        assert f'```json\n"{name}": {json.dumps(setting["default"])}\n```' in text


def test_settings_have_korean_texts() -> None:
    english, korean = (reference.settings(language) for language in ("en", "ko"))
    for setting in SETTINGS.values():
        assert f"## {setting['title']}\n" in english
        assert f"## {setting['title']}\n" not in korean


def test_no_paragraph_of_a_setting_is_a_comment_of_myst() -> None:
    for language in LANGUAGES:
        assert not re.search(r"^%", reference.settings(language), re.MULTILINE)
