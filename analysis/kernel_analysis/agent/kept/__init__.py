"""What is kept from one request to the next."""
