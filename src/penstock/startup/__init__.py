"""How a process starts fast. It imports nothing of ours.

Enter by `amalgamate`, which makes one module of the hook's fast path when a wheel is built.
Imported by: the build and `penstock.hook`.
Always true: the amalgamated module is made from the modules themselves, so both give one answer.
"""
