"""What one kind of expression gives. Evaluates through the evaluator alone."""
