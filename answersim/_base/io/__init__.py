"""Tables read whole or in pieces, formats that are detected, and the results of unfinished files."""
