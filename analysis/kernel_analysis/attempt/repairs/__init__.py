"""Better guesses after a compile failed."""
