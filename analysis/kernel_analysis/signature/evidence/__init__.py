"""What is said of a parameter: annotations, comments, callers, names, code generators. Evidence
only; ``choose`` weighs it."""
