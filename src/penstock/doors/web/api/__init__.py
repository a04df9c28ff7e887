"""The JSON API of the page: the same steps for programs, described by OpenAPI.

Enter by `routes`; `handlers` do the work, `schemas` and `openapi` describe it.
Imported by: `doors.web.app`.
Always true: a body is checked against its schema before anything is done with it.
"""
