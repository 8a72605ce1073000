"""What a parameter of the host function around a launch is."""
