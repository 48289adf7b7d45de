"""Metrics inside other libraries: one file a library, none of which is imported before it is asked for."""
