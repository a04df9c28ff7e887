"""The pure core: same input, same answer. No files, clock, network or randomness in here."""
