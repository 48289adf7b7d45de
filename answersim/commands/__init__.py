"""The commands of the command line, one file per subject: parse, one library call, print."""

__all__ = ()
