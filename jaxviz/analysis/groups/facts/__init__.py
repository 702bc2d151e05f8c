"""Facts on each eqn: its call stack, its name stack, its parameters and its source line."""
