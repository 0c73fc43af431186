"""The compiler's flags, verbs, random numbers and sums: the only place that knows the engine."""
