"""What every room stands on: errors, checks of arguments, signatures, tables as text, files, locks and progress."""
