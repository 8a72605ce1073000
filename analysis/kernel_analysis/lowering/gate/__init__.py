"""What a kernel's text may reach while it is compiled: a set, told by identity. Nothing passes that isn't in it."""
