"""Compile, find out whose fault an error is, amend what was guessed, and try again.

Knows neither the server nor its protocol; imports nothing of the user's."""
