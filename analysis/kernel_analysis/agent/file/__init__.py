"""A request to analyse a file: its functions, what they are compiled with, what is said of other files' functions."""
