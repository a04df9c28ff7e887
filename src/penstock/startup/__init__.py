"""How a process starts fast: the modules of the hook's common path as one module.

`amalgamate` writes that module when a wheel is built; `register` is the part of it that puts the
modules in their places. `penstock/hook.py` uses it where it is there.
Always true: nothing of ours is imported here, and nothing here is needed for an answer: without
the one module the hook imports its modules one by one and says the same.
"""
