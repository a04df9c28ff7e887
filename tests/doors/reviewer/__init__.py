"""The rule reviewer: edits of rules files, their history, and what is learnt from decisions."""
