"""What a text says without its tree, which takes a hundred times as long to make. Errs towards saying too much."""
