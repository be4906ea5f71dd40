"""How Sphinx builds the site: `make docs`. It opens from the file system and fetches nothing from the network."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import screwgraph
from screwgraph.elimination.notation import to_accented_html

project = "screwgraph"
author = "the screwgraph developers"
release = screwgraph.__version__

sys.path.insert(0, str(Path(__file__).parent / "_extensions"))
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "notebooks"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
suppress_warnings = ["ref.python"]  # packages have classes of one name: plans of motions and of eliminations

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True

default_role = "literal"
html_theme = "furo"
html_title = "screwgraph"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_show_copyright = False


def _first_line_is_no_type(app, what, name, obj, options, lines):
    """Napoleon takes what stands before a colon in the first line of a property for its type: here it is a sentence."""
    if what in ("property", "attribute"):
        lines[:0] = ["..", ""]  # an empty comment


def _plain_signs(app, what, name, obj, options, lines):
    """Docstrings write |x| and (*B, nq), which mean nothing to reStructuredText."""
    lines[:] = [re.sub(r"\*(?=[A-Za-z]\w*[,)])", r"\*", line.replace("|", r"\|")) for line in lines]


def _accents_need_no_font(app, pagename, templatename, context, doctree):
    """Put dots over letters by layout: monospaced fonts of browsers lack combining marks."""
    if "body" in context:
        context["body"] = re.sub(".[\u0307\u0308]", lambda found: to_accented_html(found[0]), context["body"])


def setup(app):
    """Let docstrings of properties be what they are, and accents of listings be seen."""
    app.connect("autodoc-process-docstring", _first_line_is_no_type, priority=400)
    app.connect("autodoc-process-docstring", _plain_signs)
    app.connect("html-page-context", _accents_need_no_font)
