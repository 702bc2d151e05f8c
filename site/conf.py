"""How Sphinx builds the site. `scripts/docs.py` runs it, once for each language."""

# pyright: reportMissingImports=false
# Sphinx is only in .venv-docs.

from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext.napoleon import NumpyDocstring

project = "jaxviz"
extensions = [
    "myst_nb",
    "jupyterlab_jaxviz.sphinx",
    "sphinx.ext.autodoc",
    "sphinx_design",
    "sphinx_copybutton",
]
myst_enable_extensions = ["colon_fence", "deflist"]
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
default_role = "code"
nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_render_error_lexer = "text"  # what IPython prints of an exception of ours is no traceback
nb_ipywidgets_js = {}  # would be fetched from elsewhere
html_theme = "pydata_sphinx_theme"
html_title = "jaxviz"
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "navbar_end": ["language", "theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": [], "gallery/*": [], "view": []}
html_sidebars |= {page: [] for page in ("install", "faq", "why", "comparison")}
html_static_path = ["static"]
html_css_files = ["site.css", "gallery.css"]
html_search_scorer = str(Path(__file__).parent / "scorer.js")
templates_path = ["templates"]


def sections(_app: Any, what: str, _name: str, _of: Any, _options: Any, lines: list[str]) -> None:
    """Reads NumPy's sections. As an extension, napoleon would take `The name: …`, said of an
    attribute, for a type."""
    if what not in ("attribute", "property"):
        lines[:] = NumpyDocstring(lines, what=what).lines()


def setup(app: Sphinx) -> None:
    app.connect("autodoc-process-docstring", sections)
    app.add_message_catalog("sphinx", str(Path(__file__).parent.parent / ".site" / "locale"))
