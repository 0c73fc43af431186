"""Banks: N weak learners held as arrays, the learner axis last and contiguous."""
