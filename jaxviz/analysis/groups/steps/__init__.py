"""Training steps: their parts, their updates of state, and pairs of forward and backward runs."""
