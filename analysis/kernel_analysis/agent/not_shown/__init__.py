"""Errors that are nobody's: meant for another target, at a place that nothing comes to, made by the last edit."""
