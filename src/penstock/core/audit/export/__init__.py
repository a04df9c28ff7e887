"""Audit entries in the formats of other systems: JSON lines, CEF, syslog, OCSF.

Enter by `formats`; `ocsf` has the larger mapping, `outcomes` the words each format uses.
Imported by: `cli.audit`.
Always true: every value is escaped for the format it is written in; no entry is left out.
"""
