"""Programs, differences, error cards and cache tables as text, for terminals and `print`."""
