"""A problem as a row on disk: drawing, exporting, reading, scoring again."""
