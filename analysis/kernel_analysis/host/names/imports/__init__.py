"""What an import brings."""
