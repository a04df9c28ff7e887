"""Before and after of one file, compared: exact counts, the lines that are lost, the hunks.

`measure` makes the Change. `walk`, with `gaps` and `settle`, finds the hunks of contents that
differ in few places without looking at every line; for others `align` and its neighbours
(`anchors`, `cuts`, `greedy`, `lcs`, `pairs`, `pairing`, `windows`, `occurrences`) find the common
lines within a budget of work. `rows` and `words` are for showing a diff; `loss_bound` is the fast
path's bound.
Enter by `measure.measure` for a Change and `hunks` for a unified diff.
Imported by: `merge`, `gate`, and the doors and commands that show diffs.
Always true: counts are exact, or are said to be bounds; memory stays bounded for large files.
"""
