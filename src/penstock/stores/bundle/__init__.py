"""Policy bundles on this machine: fetched from where they are published, and kept.

`fetch` reads an address, by the web, by git or from a file; `keep` holds the bundle in force, the
ones before it, and how the last try went.
Enter by `fetch.fetch` and `keep.BundleStore`.
Imported by: `app`.
Always true: what is fetched is bounded in size and time, and believed only after `core.bundle`.
"""
