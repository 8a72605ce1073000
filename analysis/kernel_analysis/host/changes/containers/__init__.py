"""What becomes of a container or an object that a function has: as it was built, and what was done to it since."""
