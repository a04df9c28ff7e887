"""Code inside a command: `python -c`, `node -e`, `perl -e` and their relatives.

Enter by `python` and `one_liners`.
Imported by: `core.shell` alone.
Always true: code is parsed, never run, and a call that is not understood is not called harmless.
"""
