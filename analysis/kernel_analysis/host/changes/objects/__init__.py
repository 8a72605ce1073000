"""What sets an attribute of a class or of an object that is handed on."""
