"""The commands of the command line of rankers, one file per subject: parse, one library call, print."""
