"""Programs that print the tables: correlations with people, rankings, speed."""
