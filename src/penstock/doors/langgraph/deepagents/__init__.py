"""The files of a deep agent: a backend for the library deepagents whose writes go through the gate.

`backend` proposes and settles writes, `reads` lists, reads and searches.
Enter by `backend`.
Imported by: `penstock.langgraph`.
Always true: reading asks the rules too, and nothing is written but by the gate.
"""
