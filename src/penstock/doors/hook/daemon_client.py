"""Ask the daemon, if one runs, in a few system calls.

One question for each connection on a socket in the state directory: a line with the agent's
name and two lengths, the variables that agents set, then the agent's JSON. The answer is a
line with the exit code and three lengths, then stdout, stderr and the files to remove afterwards.
Always true: nothing is imported but `_socket`, and only where a socket is there; None means
that nobody answered, and then nothing has been judged.
"""

import posix
import sys

from penstock.core.audit.chain import hexdigest
from penstock.doors.hook.messages import PROJECT, Reply
from penstock.stores.system.places import home, project_here, state_home, variable

FORM = "penstock-hook 2"
PREFIXES = (
    b"CLAUDE", b"CODEX", b"GEMINI", b"CURSOR", b"COPILOT", b"WINDSURF", b"KIRO", b"CLINE",
    b"QWEN", b"OPENCODE", b"AMP", b"PENSTOCK", b"HOME", b"PWD", b"ROOT_WORKSPACE_PATH",
    b"GITHUB_ACTIONS", b"XDG_CONFIG_HOME", b"TMPDIR",
)  # fmt: skip
DAEMON = "penstock.doors.hook.daemon"
SWITCH = "PENSTOCK_RESIDENT"  # `off`: neither ask nor start one
O_PATH = 0o10000000
PIECE = 1 << 16
MOST = 1 << 24


def ask(agent: str, data: bytes) -> "Reply | None":
    """Return the daemon's answer, or None."""
    if variable(SWITCH) == "off":
        return None
    try:
        folder = posix.open(state_home(), O_PATH | posix.O_CLOEXEC)
    except OSError:
        return None
    try:
        # Through the descriptor: a socket's whole path may have no more than 107 bytes.
        return _asked(f"/proc/self/fd/{folder}/{socket_name()}", agent, data)
    except (OSError, ValueError):
        return None
    finally:
        posix.close(folder)


def _asked(path: str, agent: str, data: bytes) -> "Reply | None":
    posix.lstat(path)
    import _socket

    line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        line.connect(path)
        if not _is_ours(line.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, 12)):
            return None
        told = variables()
        line.sendall(f"{FORM} {agent} {len(told)} {len(data)}\n".encode() + told)
        line.sendall(data)
        return _reply(line)
    finally:
        line.close()


def _is_ours(peer: bytes) -> bool:
    """Say whether the process that listens runs our daemon: anybody could bind a socket there.

    It is this interpreter with the daemon's own command, or `penstock serve`.
    """
    pid, uid = int.from_bytes(peer[:4], sys.byteorder), int.from_bytes(peer[4:8], sys.byteorder)
    if uid != posix.geteuid() or posix.readlink(f"/proc/{pid}/exe") != posix.readlink(
        "/proc/self/exe"
    ):
        return False
    fd = posix.open(f"/proc/{pid}/cmdline", posix.O_RDONLY | posix.O_CLOEXEC)
    try:
        words = posix.read(fd, PIECE).decode("utf-8", "surrogateescape").split("\0")
    finally:
        posix.close(fd)
    return words[1:5] == launch(DAEMON)[1:] or _serves(words)


def _serves(words: "list[str]") -> bool:
    """Say whether a command line is that of `penstock serve` beside our interpreter."""
    script = f"{sys.executable.rpartition('/')[0]}/penstock"
    return words[1:3] == [script, "serve"] or words[1:4] == ["-m", "penstock.cli", "serve"]


def _reply(line: "object") -> "Reply | None":
    found = b""
    while len(found) <= MOST:
        piece = line.recv(PIECE)  # type: ignore[attr-defined]
        if not piece:
            break
        found += piece
    head, _, rest = found.partition(b"\n")
    words = head.split(b" ")
    if len(words) != 4 or not all(word.isdigit() for word in words):
        return None
    code, out, err, after = [int(word) for word in words]
    if len(rest) != out + err + after:
        return None
    claims = (
        tuple(rest[out + err :].decode("utf-8", "surrogateescape").split("\0")) if after else ()
    )
    return Reply(rest[:out].decode(), rest[out : out + err].decode(), code, claims)


def variables() -> bytes:
    """Return the variables by which agents tell about themselves, a line each."""
    chosen = [
        name + b"=" + value
        for name, value in posix.environ.items()
        if name.startswith(PREFIXES) and b"\n" not in value
    ]
    here = f"{PROJECT}={project_here()}".encode("utf-8", "surrogateescape")
    return b"\n".join([*chosen, here])


def socket_name() -> str:
    """Return the socket's name: another interpreter, version or home has another one."""
    facts = (FORM, sys.executable, __file__, _version(), home(), variable("XDG_CONFIG_HOME"))
    return f"engine-{hexdigest(chr(10).join(facts).encode('utf-8', 'surrogateescape'))[:16]}"


def _version() -> str:
    """An installation that was replaced has another time."""
    try:
        return str(posix.stat(__file__.rpartition("/")[0]).st_mtime_ns)
    except OSError:
        return ""


def use_packages() -> None:
    """Let the engine import what is installed: `-I -S` has left the packages out.

    Where we are installed they lie beside us; in a checkout, in the environment whose
    interpreter runs this.
    """
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    environment = sys.executable.rpartition("/bin/")[0]
    beside = __file__.rpartition("/penstock/")[0]
    for path in (beside, f"{environment}/lib/{version}/site-packages"):
        if path not in sys.path:
            sys.path.append(path)


def launch(module: str) -> "list[str]":
    """Return the command that runs `main` of one of our modules with all packages."""
    beside = __file__.rpartition("/penstock/")[0]
    code = (
        f"import sys; sys.path.insert(0, {beside!r}); "
        f"from {__name__} import use_packages; use_packages(); "
        f"from {module} import main; main()"
    )
    return [sys.executable, "-I", "-S", "-c", code]
