"""Statistics on arrays: nothing here knows what an answer is."""
