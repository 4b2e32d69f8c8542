"""How the answers of foreign data sets are judged: mathematics, BBEH, programs."""
