"""Statistics on arrays, independent of answers and metrics."""
