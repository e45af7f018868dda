"""What agents use and what they are allowed to: sums of tokens and dollars (`totals`), prices, limits."""
