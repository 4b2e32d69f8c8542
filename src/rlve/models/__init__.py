"""The policy, and what samples from it."""
