"""From text to tree: of a broken text, too, of one that is part of another, of one that is nearly as it was."""
