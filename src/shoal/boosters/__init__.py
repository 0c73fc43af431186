"""Boosters: what each learner is taught from an example."""
