"""The HTTP door: one process on loopback that answers hooks, health checks, the API and the page.

uvicorn and httptools speak HTTP. `server` starts and stops them, `connection` bounds what one
client may do, `routes` says who is admitted where and is the application that answers:
`hook_endpoint` has the engine behind `/hook/{agent}`, `health` the watchdogs' paths, the page all
the others. `tokens` and `talk` are the tokens and the lines on stderr.
Enter by `server`.
Imported by: `cli`, `doors.web`, `doors.mcp`.
Always true: only loopback is listened on and only loopback names are answered to; nothing is
read beyond a bound, in size or in time; a body is never logged.
"""
