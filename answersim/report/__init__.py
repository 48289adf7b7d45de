"""A study that one can look at: figures, and one self-contained page; behind the extra `report`."""
