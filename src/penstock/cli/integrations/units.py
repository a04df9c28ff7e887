"""The units by which a person has the server or `ship` started: systemd's and launchd's.

Printed, never installed: what runs on a machine by itself is for its owner to decide.
Always true: whatever stands in a path or a variable is quoted, so it cannot become a line of
its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from xml.sax.saxutils import escape

from penstock.app.listen import has_ipv6
from penstock.core.errors import InputError
from penstock.core.loopback import ADDRESS, ADDRESS6
from penstock.core.text.display import spoken

# Where state and rules are looked for; a service starts without the shell's variables.
PLACES = ("XDG_STATE_HOME", "XDG_CONFIG_HOME")
LABEL = "dev.penstock.serve"

SERVICE = """\
# ~/.config/systemd/user/penstock.service
# systemctl --user daemon-reload && systemctl --user enable --now penstock.service
[Unit]
Description=Penstock: review and control what AI coding agents change

[Service]
ExecStart={command}
{environment}Restart=on-failure
RestartSec=1
NoNewPrivileges=yes
MemoryMax=1G

[Install]
WantedBy=default.target
"""

SHIP = """\
# ~/.config/systemd/user/penstock-ship.service: sends the audit log of one project, without a server
# systemctl --user daemon-reload && systemctl --user enable --now penstock-ship.service
[Unit]
Description=Penstock: send the audit log to other systems

[Service]
ExecStart={command}
{environment}Restart=always
RestartSec=10
NoNewPrivileges=yes
PrivateTmp=yes
MemoryMax=512M

[Install]
WantedBy=default.target
"""

SOCKET = """\
# ~/.config/systemd/user/penstock.socket, beside penstock.service: starts it on the first request
# systemctl --user daemon-reload && systemctl --user enable --now penstock.socket
[Unit]
Description=Socket of Penstock

[Socket]
{streams}

[Install]
WantedBy=sockets.target
"""

AGENT = """\
<?xml version="1.0" encoding="UTF-8"?>
<!-- ~/Library/LaunchAgents/{label}.plist
     launchctl bootstrap gui/$(id -u) ~/Library/LaunchAgents/{label}.plist -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
"http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>{label}</string>
  <key>ProgramArguments</key>
  <array>
{arguments}  </array>
  <key>EnvironmentVariables</key>
  <dict>
{variables}  </dict>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <true/>
</dict>
</plist>
"""


def systemd(argv: Sequence[str], port: int, environ: Mapping[str, str]) -> str:
    """Return a user service."""
    del port
    return _service(SERVICE, argv, environ)


def ship_service(argv: Sequence[str], environ: Mapping[str, str]) -> str:
    """Return a user service that only sends the audit log."""
    return _service(SHIP, argv, environ)


def _service(text: str, argv: Sequence[str], environ: Mapping[str, str]) -> str:
    lines = [f"Environment={_quoted(f'{name}={value}')}\n" for name, value in _places(environ)]
    command = " ".join(_quoted(word) for word in argv)
    return text.format(command=command, environment="".join(lines))


def systemd_socket(argv: Sequence[str], port: int, environ: Mapping[str, str]) -> str:
    """Return the socket that starts the service at the first request."""
    del argv, environ
    # A browser looks for `localhost` at both; systemd refuses an address that is not there.
    hosts = (ADDRESS, f"[{ADDRESS6}]") if has_ipv6() else (ADDRESS,)
    return SOCKET.format(streams="\n".join(f"ListenStream={host}:{port}" for host in hosts))


def launchd(argv: Sequence[str], port: int, environ: Mapping[str, str]) -> str:
    """Return a launch agent."""
    del port
    arguments = "".join(f"    <string>{_xml(word)}</string>\n" for word in argv)
    variables = "".join(
        f"    <key>{name}</key>\n    <string>{_xml(value)}</string>\n"
        for name, value in _places(environ)
    )
    return AGENT.format(label=LABEL, arguments=arguments, variables=variables)


UNITS: Mapping[str, Callable[[Sequence[str], int, Mapping[str, str]], str]] = {
    "systemd": systemd,
    "systemd-socket": systemd_socket,
    "launchd": launchd,
}


def _places(environ: Mapping[str, str]) -> list[tuple[str, str]]:
    return [(name, environ[name]) for name in PLACES if environ.get(name)]


def _plain(text: str) -> str:
    if not text.isprintable():
        raise InputError(
            "bad-path",
            f"`{spoken(text)}` can't be used in a service definition",
            because="it contains a control character",
        )
    return text


def _quoted(word: str) -> str:
    """Return a word as systemd reads it back: in quotes, `%` and `$` as themselves."""
    made = _plain(word).replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return '"' + made.replace("$", "$$") + '"'


def _xml(text: str) -> str:
    return escape(_plain(text))
