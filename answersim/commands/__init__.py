"""The commands of the command line, one file a subject: parse, one library call, print."""
