"""How Sphinx builds the site. `scripts/docs.py` runs it, once for each language."""

project = "jaxviz"
extensions = ["myst_nb", "jupyterlab_jaxviz.sphinx"]
myst_enable_extensions = ["colon_fence"]
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
html_static_path = ["dark.css"]
html_css_files = ["dark.css"]
templates_path = ["templates"]
