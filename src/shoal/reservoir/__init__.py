"""Reservoir boosting: a bounded set of chosen examples, and stumps boosted on it while the stream flows."""
