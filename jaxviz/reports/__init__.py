"""What runs of a program told, as a cell shows it and `print` says it."""
