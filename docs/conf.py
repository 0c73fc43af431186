"""How the documentation is built: `make docs`, or sphinx-build docs build/docs."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "extensions"))

import shoal  # noqa: E402

project = "shoal"
author = "the shoal maintainers"
copyright = "the shoal maintainers"
version = release = shoal.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "mathml", "parameters", "run_examples"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build", "extensions"]

autodoc_typehints = "none"  # signatures say it; the parameters' lines say what it means
autodoc_member_order = "bysource"
add_module_names = False

html_theme = "furo"
html_title = "shoal"
html_static_path = ["_static"]
html_css_files = ["shoal.css"]
html_theme_options = {"top_of_page_buttons": []}
