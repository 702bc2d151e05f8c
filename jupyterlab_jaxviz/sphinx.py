"""Sphinx sites that show notebooks with MyST-NB have our outputs live, without a kernel and without
a request to anywhere else.

    extensions = ["myst_nb", "jupyterlab_jaxviz.sphinx"]

A page holds the still picture, as without this, and before it the data; a script of the site draws
the live view of them in the picture's place, in the site's language if the view has it. A browser
without scripts, and what is no HTML, keeps picture or text. Not in jaxviz, which imports JAX.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform

from jupyterlab_jaxviz.page_data import KINDS, element, texts


class Data:
    """MyST-NB asks this for each output (its entry point `myst_nb.mime_renderers`): ours become
    data in the page, which nobody sees."""

    mime_priority_overrides: ClassVar[list[tuple[str, str, int | None]]] = []

    @staticmethod
    def handle_mime(renderer: Any, data: Any, inline: bool) -> list[nodes.Element] | None:
        """The data as a script element, or None where the output is not ours."""
        script = None if inline else element(data.mime_type, data.content)
        if script is None:
            return None
        return [nodes.raw(text=script, format="html")] if script else []


class WithPicture(SphinxPostTransform):
    """Puts the data before their picture, which is what MyST-NB chooses of an output."""

    default_priority = 3  # MyST-NB chooses at 4
    formats = ("html",)

    def run(self, **_: Any) -> None:
        """Move the data of all outputs of a document. Its cells get their numbers, which outputs
        mention, and the site's search does not find the pictures' texts."""
        found = False
        for bundle in elements(self.document, "mime_bundle"):
            forms = {form["mime_type"]: form for form in bundle.children}
            picture = forms.get("text/html")
            for data in (forms[kind] for kind in KINDS if kind in forms and picture):
                found = True
                for part in picture.children:
                    part["classes"].append("no-search")
                picture.insert(0, data.children)
        for cell in elements(self.document, "cell_code") if found else ():
            for code in elements(cell, "cell_code_source"):
                number = nodes.inline(text=f"[{cell['exec_count']}]")
                number["classes"] += ["jaxviz-count", "no-search"]
                code.insert(0, number)


def elements(node: nodes.Element, name: str) -> list[nodes.container]:
    """The elements of MyST-NB with a name."""
    return [one for one in node.findall(nodes.container) if one.get("nb_element") == name]


def write_texts(app: Sphinx, error: Exception | None) -> None:
    """Give the script what the view says in the site's language, or null."""
    if error is None and app.builder.format == "html":
        said = json.dumps(texts(app.config.language), ensure_ascii=False)
        script = Path(app.outdir) / "_static" / "jaxviz-texts.js"
        script.write_text(f"export default {said};\n", "utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Have the site carry our script and styles."""
    package = find_spec("jaxviz")  # finds it without running it
    if package is None or not package.submodule_search_locations:
        raise ExtensionError("jaxviz is not installed where Sphinx runs.")
    built = Path(package.submodule_search_locations[0]) / "static"
    paths = [Path(__file__).parent / "sphinx_static", built / "widget.js", built / "widget.css"]
    app.config.html_static_path += [str(path) for path in paths]
    app.add_js_file("jaxviz-live.js", type="module")
    app.add_css_file("widget.css")
    app.add_post_transform(WithPicture)
    app.connect("build-finished", write_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
