"""What the text does to a value after it was bound: stores, methods, escapes, through other files too. Decides what may
no longer be told for certain; computes no value."""
