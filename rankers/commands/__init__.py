"""The commands of the command line of rankers, one file a subject: parse, one library call, print."""
