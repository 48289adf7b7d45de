"""Programs that print the tables: correlations with human labels, rankings, speed."""
