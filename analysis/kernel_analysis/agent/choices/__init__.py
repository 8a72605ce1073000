"""What configs, launches and people set of a kernel's values, compiled as it stands."""
