"""What a tree says by its form alone. No name is looked up."""
