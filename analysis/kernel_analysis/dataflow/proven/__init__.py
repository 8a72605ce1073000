"""Where a *no* is said: two witnesses, and the ways that no launch goes."""
