"""A CPU platform for verl, and how its trainer is run in tests."""
