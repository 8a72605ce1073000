"""What sets a name of a module: by the module, from another file, by what it is handed to."""
