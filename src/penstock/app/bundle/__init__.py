"""Policy bundles with their stores: fetched and put in force, built and signed.

`refresh` fetches one, `make` builds and signs one; `app.rules.organisation` makes rules of it.
Enter by `refresh.fetch_bundle` and `make.built`.
Imported by: `doors` and `cli`.
Always true: a policy never waits for the network; what it goes by is on the disk.
"""
