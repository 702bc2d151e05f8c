"""How Sphinx builds the site. `scripts/docs.py` runs it, once for each language."""

# pyright: reportMissingImports=false, reportMissingModuleSource=false
# Sphinx is only in .venv-docs.

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.ext.napoleon import NumpyDocstring

project = "jaxviz"
extensions = [
    "myst_nb",
    "jupyterlab_jaxviz.sphinx",
    "sphinx.ext.autodoc",
    "sphinx.ext.intersphinx",
    "sphinx_design",
    "sphinx_copybutton",
]
HERE = Path(__file__).parent
# Written by hand: the names that our reference mentions. So the build needs no network.
intersphinx_mapping = {
    name: (address, str(HERE / "inventories" / f"{name}.txt"))
    for name, address in {
        "python": "https://docs.python.org/3",
        "jax": "https://docs.jax.dev/en/latest",
    }.items()
}
myst_enable_extensions = ["colon_fence", "deflist"]
autodoc_member_order = "bysource"
autodoc_class_signature = "separated"
default_role = "name"
nb_execution_mode = "force"
nb_execution_timeout = 600
nb_execution_raise_on_error = True
nb_render_error_lexer = "text"  # what IPython prints of an exception of ours is no traceback
nb_ipywidgets_js = {}  # would be fetched from elsewhere
html_theme = "pydata_sphinx_theme"
html_title = "jaxviz"
html_copy_source = False
html_favicon = "static/logo.svg"
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "jaxviz", "image_light": "_static/logo.svg", "image_dark": "_static/logo.svg"},
    "header_links_before_dropdown": 6,
    "navbar_end": ["language", "theme-switcher"],
    "secondary_sidebar_items": ["page-toc", "edit-this-page"],
    "footer_start": ["licence"],
    "footer_end": [],
}
html_sidebars = {"index": [], "gallery/*": [], "view": []}
html_sidebars |= {page: [] for page in ("install", "faq", "why", "comparison")}
html_static_path = ["static"]
html_css_files = ["site.css", "gallery.css"]
html_search_scorer = str(Path(__file__).parent / "scorer.js")
templates_path = ["templates"]


# Addresses that an owner sets once, before the first release. Until then nothing refers to them.
package = json.loads((HERE.parent / "package.json").read_text("utf-8"))
if "homepage" in package:
    extensions += ["sphinxext.opengraph", "sphinx_sitemap"]
    html_static_path += ["../docs/step.png"]
    ogp_description_length = 110
    ogp_social_cards = {"enable": False}  # would need matplotlib
    sitemap_url_scheme = "{link}"
if "repository" in package:
    html_theme_options["use_edit_page_button"] = True


def set_address(_app: Sphinx, config: Any) -> None:
    """Each language has its own folder of the address."""
    if "homepage" in package:
        address = f"{package['homepage'].rstrip('/')}/{config.language}/"
        config.html_baseurl = config.ogp_site_url = address
        config.ogp_image = f"{address}_static/step.png"


def address_of_source(app: Sphinx, page: str, _template: str, context: dict, tree: Any) -> None:
    """Where a page can be edited: the parts of a language's site come from several folders."""
    if tree is None or "repository" not in package:
        return
    language, file = app.config.language, page + context["page_source_suffix"]
    part, _, name = file.partition("/")
    places = [f"site/{language}/{file}", f"jaxviz/{part}/{language}/{name}", f"docs/{name}", name]
    place = next(one for one in places if (HERE.parent / one).is_file())
    repository = package["repository"]["url"]
    # The theme wants the file's name in it.
    context["edit_page_url_template"] = f"{repository}/edit/main/{place}{{# file_name #}}"


def sections(_app: Any, what: str, _name: str, _of: Any, _options: Any, lines: list[str]) -> None:
    """Reads NumPy's sections. As an extension, napoleon would take `The name: …`, said of an
    attribute, for a type."""
    if what not in ("attribute", "property"):
        lines[:] = NumpyDocstring(lines, what=what).lines()


def name(_role: str, raw: str, text: str, line: int, inliner: Any, **_: Any) -> Any:
    """Code in a docstring; a link if it is a class or a dotted name that is known. A word such as
    `check` may be a parameter."""
    if "." not in text and not text[:1].isupper():
        return [nodes.literal(raw, text)], []
    link = inliner.document.settings.env.domains["py"].role("obj")
    return link("py:obj", raw, text, line, inliner)


def setup(app: Sphinx) -> None:
    app.add_role("name", name)
    app.connect("config-inited", set_address)
    app.connect("autodoc-process-docstring", sections)
    app.connect("html-page-context", address_of_source)
    app.add_message_catalog("sphinx", str(Path(__file__).parent.parent / ".site" / "locale"))
