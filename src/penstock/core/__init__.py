"""The pure core: same input, same answer. No files, clock, network or randomness in here.

A package for each noun or phase: `text`, `paths`, `diff`, `merge`, `patch`, `shell`, `tools`,
`proposals`, `notify`, `audit`, `policy`, `rules`, `rule_edit`, `learning`. The nouns that all of
them share are in `model`, the six exceptions in `errors`.
Enter by `model`, then `policy.decide`.
Imported by: everything above; it imports only `presets`.
Always true: a function here can be tested with a table and needs no mock.
"""
