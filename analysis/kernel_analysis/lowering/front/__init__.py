"""From a slice to Triton's module: the objects that its front end compiles, and the front end itself, watched."""
