"""Whose fault a failed compile is. Never accuses on a guess."""
