"""Rules: one score from many votes."""
