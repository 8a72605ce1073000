"""What sets names that are not spelled: put together, run as a text, pickled."""
