"""What is answered in the place of the machine where a file will run."""
