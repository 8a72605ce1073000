"""Further signatures: the values, dtypes and sets of constants with which the other ways through a kernel are
compiled."""
