"""Policy bundles: one signed document with an organisation's rules, owners and approvers' keys.

`model` is what a bundle says, `document` its bytes and its signature, `trust` which one may follow
another, `source` the file that it is built from, `owners` and `codeowners` whom a change needs.
Enter by `document.read_bundle` for bytes and `trust.accept` for the rules of following.
Imported by: `core.policy`, `core.rules`, `gate`, `stores` and `app`.
Always true: a bundle that exists was read whole and in one form only; who signed it is said apart.
"""
