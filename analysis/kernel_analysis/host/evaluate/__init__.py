"""Safe evaluation of host Python: the value of an expression, with what goes with the answer. Runs nothing of the
user's, and reads no file."""
