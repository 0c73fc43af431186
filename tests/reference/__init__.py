"""The slow twins: every method written as its paper's pseudo-code, in plain Python, to judge kernels by."""
