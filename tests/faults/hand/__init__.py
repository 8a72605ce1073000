"""A hand that types, and what a server shows under it: edits, a client that hears all, and the judge of both."""
