"""Sphinx settings of the documentation site. `make docs` assembles the sources and builds them: see tools/site."""

from answersim._base.signature import VERSION

project = "answersim"
author = "The answersim authors"
copyright = author
version = release = VERSION

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_gallery.gen_gallery"]
root_doc = "index"
exclude_patterns = ["examples"]  # their pages are made in gallery/
language = "en"

# Pages are written for GitHub first: headings get the anchors of GitHub, and links are plain and relative.
myst_heading_anchors = 6
myst_enable_extensions = ["html_image"]
# The page of a result may begin with a table, and reports quoted in pages skip levels of headings.
suppress_warnings = ["myst.header"]
smartquotes = False  # code and signatures are quoted as they are typed

autodoc_typehints = "description"
autodoc_typehints_description_target = "documented_params"
autodoc_typehints_format = "short"
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True  # the attributes of a class are a list in its description, not objects of their own
napoleon_custom_sections = [("Source", "notes_style")]

# The examples run when the site is built. An error, or a warning of Python, stops the build.
sphinx_gallery_conf = {
    "examples_dirs": "examples",
    "gallery_dirs": "gallery",
    "within_subsection_order": "FileNameSortKey",
    "filename_pattern": r"\.py$",
    "abort_on_example_error": True,
    "min_reported_time": 10_000,
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
    "plot_gallery": True,
}

html_theme = "furo"
html_title = f"answersim {VERSION}"
html_static_path = ["_static"]
templates_path = ["_templates"]  # captions of the sidebar with the level of their heading, which screen readers need
html_css_files, html_js_files = ["site.css"], ["site.js"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
pygments_style = "default"
pygments_dark_style = "monokai"
