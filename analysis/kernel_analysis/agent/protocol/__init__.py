"""The agent's end of the wire: messages, requests and their answers. Knows no method of any."""
