"""The Proposal: a stored change on its way from pending to applied, rejected or expired.

`model` has Proposal, State, Answer and Receipt; `transitions` the table of states; `codec` the
stored form; `signature` what an approver signs; `short_id` an id as people read it; `flag` what a
person should look at, and `remarks` all of that for one proposal.
Enter by `model`.
Imported by: `core.audit`, `core.notify`, and nearly everything above the core.
Always true: a state changes only as the table says, and an answer never changes.
"""
