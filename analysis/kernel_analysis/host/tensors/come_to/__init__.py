"""Whether a place of host code is come to, and what is raised there comes to anybody."""
