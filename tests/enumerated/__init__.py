"""Small programs compiled under all assignments of what varies: what is claimed of them is held against the union."""
