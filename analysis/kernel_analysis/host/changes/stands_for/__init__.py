"""Of which module, class or object an expression may give something."""
