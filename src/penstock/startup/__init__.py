"""How a process starts fast. It imports nothing of ours.

Enter by `amalgamate`, which makes one module (`hook_path`) of the hook's fast path when a wheel is
built; `register` is the end of that module.
Imported by: the build (`hatch_build.py`); `penstock.hook` runs what it made.
Always true: the amalgamated module is made from the modules themselves, so both give one answer.
"""
