"""The documentation site: `make docs` assembles its sources here and builds them with Sphinx, offline."""
