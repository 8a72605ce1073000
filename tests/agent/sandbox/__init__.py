"""What the agent gave up is really gone: every class is tried from inside, each layer by itself."""
