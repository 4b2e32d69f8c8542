"""Problems as rows on disk: drawing, exporting, reading, scoring."""
