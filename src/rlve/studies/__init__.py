"""What an experiment runs, and what it found."""
