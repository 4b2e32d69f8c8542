"""What everything stands on: files and run folders, settings and metrics, terminals."""
