"""The resident door: one process on loopback that answers hooks over HTTP.

`wire` reads a request's head, `connection` talks to one client, `server` listens and stops,
`routes` says who is admitted where, `hook` puts the engine behind `/hook/{agent}`, `asgi` an
application behind everything else, which it answers piece by piece (`line`).
Always true: only loopback is listened on and only loopback names are answered to; nothing is
read beyond a bound, in size or in time; a body is never logged.
"""
