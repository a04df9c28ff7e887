"""Rules files into a Policy: `penstock.toml` and the formats of other tools.

`documents` reads TOML, JSON and YAML; `fields` and `values` check each key; `rule` makes one Rule,
with the globs that `sets` has names for;
`layers` joins files into one policy; `foreign` and `permissions_hook/` read other formats.
Enter by `load`.
Imported by: `rule_edit`, `learning`, `app`, `cli.check`, and the doors that read rules files.
Always true: a file with a problem gives no policy, and a problem names its line and its cure.
"""
