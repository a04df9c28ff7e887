"""Ways out of an isolated run, each a small program that tries one.

A program finds its surroundings in `at`: `target` (a file of the project), `other` and `elsewhere`
(outside of project and home), `home`, `state`, `pid` (a process of the same user outside), `fd` (a
descriptor of `other` that is left open), `tmp`, `shm`, `key` and `number`.
It does not matter how a program ends: what counts is whether anything outside is different.
"""

from __future__ import annotations

HEAD = """
import ctypes, errno, fcntl, json, mmap, os, shutil, signal, socket, struct, subprocess, sys, time
at = json.loads(sys.argv[1])
target, other, elsewhere, home = at["target"], at["other"], at["elsewhere"], at["home"]
pid, lib = at["pid"], ctypes.CDLL(None, use_errno=True)
def write(path, flags=os.O_WRONLY):
    fd = os.open(path, flags, 0o644)
    os.write(fd, b"escaped\\n")
    os.close(fd)
def nested(flags=0x10020000):
    uid, gid = os.getuid(), os.getgid()
    lib.unshare(flags)
    for name, text in (("setgroups", "deny"), ("uid_map", f"0 {uid} 1"), ("gid_map", f"0 {gid} 1")):
        try: open(f"/proc/self/{name}", "w").write(text)
        except OSError: pass
def mount(source, place, kind=None, flags=0, data=None):
    b = lambda text: None if text is None else os.fsencode(text)
    return lib.mount(b(source), b(place), b(kind), ctypes.c_ulong(flags), b(data))
"""

ESCAPES: dict[str, str] = {
    # -- the project -------------------------------------------------------------------------------
    "write a file": "write(target)",
    "append to a file": "write(target, os.O_WRONLY | os.O_APPEND)",
    "truncate a file": "os.truncate(target, 0)",
    "extend a file": "fd = os.open(target, os.O_RDWR); os.posix_fallocate(fd, 0, 9000)",
    "delete a file": "os.unlink(target)",
    "rename a file away": "os.rename(target, target + '.old')",
    "rename over a file": (
        "write(target + '.n', os.O_WRONLY | os.O_CREAT); os.rename(target + '.n', target)"
    ),
    "make a directory": "os.mkdir(os.path.dirname(target) + '/made')",
    "remove a directory": "os.rmdir(os.path.dirname(target) + '/src')",
    "change a mode": "os.chmod(target, 0o777)",
    "change times": "os.utime(target, (1, 1))",
    "set an attribute": "os.setxattr(target, 'user.escaped', b'1')",
    "map a file": "fd = os.open(target, os.O_RDWR); mmap.mmap(fd, 5)[0:5] = b'escap'",
    "copy a range into a file": (
        "fd = os.open(target, os.O_WRONLY); s = os.open(other, os.O_RDONLY)\n"
        "os.copy_file_range(s, fd, 5, 0, 5)"
    ),
    "write through a hard link": "os.link(target, target + '.l'); write(target + '.l')",
    "write through a symbolic link": "os.symlink(target, target + '.s'); write(target + '.s')",
    "replace the project": "p = os.path.dirname(target); os.rename(p, p + '2')",
    "write from a shell": "subprocess.run(['sh', '-c', f'echo escaped > {target}'])",
    "write from a child that left": (
        "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        write(target)\n"
        "        os._exit(0)\n    os._exit(0)\nos.wait(); time.sleep(0.2)"
    ),
    # -- around the project ------------------------------------------------------------------------
    "write elsewhere": "write(other)",
    "make a file elsewhere": "write(elsewhere + '/new', os.O_WRONLY | os.O_CREAT)",
    "write in the home directory": "write(home + '/.bashrc')",
    "write into penstock's state": "write(at['state'] + '/planted', os.O_WRONLY | os.O_CREAT)",
    "link a file in from elsewhere": (
        "l = os.path.dirname(target) + '/l'; os.link(other, l); write(l)"
    ),
    "link to elsewhere": "l = os.path.dirname(target) + '/s'; os.symlink(other, l); write(l)",
    "move a file in from elsewhere": "os.rename(other, os.path.dirname(target) + '/moved')",
    "a nameless file gets a name elsewhere": (
        "fd = os.open(elsewhere, os.O_TMPFILE | os.O_RDWR, 0o644)\n"
        "d = os.open('/', os.O_RDONLY)\n"
        "os.link(f'/proc/self/fd/{fd}', elsewhere + '/named', src_dir_fd=d, follow_symlinks=True)"
    ),
    "leave a file in /tmp": "write(at['tmp'] + '/left', os.O_WRONLY | os.O_CREAT)",
    "leave a file in shared memory": "write(at['shm'], os.O_WRONLY | os.O_CREAT)",
    # -- by way of /proc ---------------------------------------------------------------------------
    "/proc/self/root": "write('/proc/self/root' + other)",
    "/proc/self/cwd": "write('/proc/self/cwd/../../elsewhere/other.txt')",
    "/proc/1/root": (
        "for p in (1, os.getppid(), os.getpid()):\n"
        "    try: write(f'/proc/{p}/root' + other)\n    except OSError: pass"
    ),
    "the root of a process outside": "write(f'/proc/{pid}/root' + other)",
    "the directory of a process outside": "write(f'/proc/{pid}/cwd/other.txt')",
    "a descriptor of a process outside": "write(f'/proc/{pid}/fd/9')",
    "the memory of a process outside": (
        "os.open(f'/proc/{pid}/mem', os.O_RDWR); os.kill(pid, signal.SIGUSR1)"
    ),
    "the settings of a process outside": ("open(f'/proc/{pid}/oom_score_adj', 'w').write('900')"),
    # -- by way of what was left open --------------------------------------------------------------
    "a descriptor that was left open": "os.write(at['fd'], b'escaped')",
    "/proc/self/fd of what was left open": "write(f'/proc/self/fd/{at[\"fd\"]}')",
    "open standard input again": "write('/proc/self/fd/0')",
    "open standard output again": "fd = os.open('/proc/self/fd/1', os.O_RDWR); os.ftruncate(fd, 0)",
    # -- other processes ---------------------------------------------------------------------------
    "a signal": "os.kill(pid, signal.SIGUSR1)",
    "a signal by descriptor": "signal.pidfd_send_signal(os.pidfd_open(pid), signal.SIGUSR1)",
    "trace a process": "lib.ptrace(16, pid, 0, 0) or os.kill(pid, signal.SIGUSR1)",
    "take a descriptor from a process": (
        "fd = lib.syscall(438, os.pidfd_open(pid), 9, 0); os.write(fd, b'escaped')"
    ),
    "a niceness": "os.setpriority(os.PRIO_PROCESS, pid, 15)",
    "a niceness of the whole group": "os.setpriority(os.PRIO_PGRP, 0, 15)",
    "a signal to the whole group": "os.kill(0, signal.SIGUSR1)",
    "the first process of the run": (
        "for name in ('mem', 'root' + other, 'cwd/../../elsewhere/other.txt', 'fd/3'):\n"
        "    try: write(f'/proc/1/{name}', os.O_RDWR)\n    except OSError: pass\n"
        "lib.ptrace(16, 1, 0, 0); lib.setns(os.pidfd_open(1), 0x10020000); write(other)"
    ),
    # -- sockets, pipes, memory, keys --------------------------------------------------------------
    "a socket with a path": (
        "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', elsewhere + '/socket')"
    ),
    "a socket in the home directory": (
        "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', home + '/socket')"
    ),
    "a socket in the project": (
        "p = os.path.dirname(target)\n"
        "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', p + '/socket')"
    ),
    "an abstract socket": (
        "socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b'x', '\\0' + at['key'])"
    ),
    "a pipe with a path": "write(elsewhere + '/pipe', os.O_WRONLY | os.O_NONBLOCK)",
    "a pipe in the project": (
        "write(os.path.dirname(target) + '/pipe', os.O_WRONLY | os.O_NONBLOCK)"
    ),
    "a message queue": (
        "q = lib.msgget(at['number'], 0)\n"
        "lib.msgsnd(q, struct.pack('l8s', 1, b'escaped'), ctypes.c_size_t(8), 0)"
    ),
    "shared memory": (
        "lib.shmat.restype = ctypes.c_void_p; s = lib.shmget(at['number'], 16, 0)\n"
        "a = lib.shmat(s, None, 0)\n"
        "ctypes.memmove(a, b'escaped', 7) if s >= 0 else None"
    ),
    # -- namespaces of its own ---------------------------------------------------------------------
    "write as root of a namespace": "nested(); write(other)",
    "remount the root writable": "nested(); mount(None, '/', None, 32 | 4096); write(other)",
    "remount a directory writable": (
        "nested(); top = '/' + elsewhere.split('/')[1]\n"
        "mount(None, top, None, 32 | 4096); mount(None, top, None, 32); write(other)"
    ),
    "bind a directory again": (
        "nested(); os.makedirs('/tmp/b', exist_ok=True)\n"
        "mount(elsewhere, '/tmp/b', None, 4096); mount(None, '/tmp/b', None, 32 | 4096)\n"
        "write('/tmp/b/other.txt')"
    ),
    "unmount the project": (
        "nested(); lib.umount2(os.fsencode(os.path.dirname(target)), 2); write(target)"
    ),
    "unmount everything": (
        "nested()\nfor line in reversed(open('/proc/self/mountinfo').read().splitlines()):\n"
        "    lib.umount2(os.fsencode(line.split()[4]), 2)\nwrite(other)"
    ),
    "a project below another root": (
        "nested(); os.makedirs('/tmp/r', exist_ok=True); mount('/', '/tmp/r', None, 4096 | 16384)\n"
        "lib.mount_setattr and lib.umount2(os.fsencode('/tmp/r' + os.path.dirname(target)), 2)\n"
        "write('/tmp/r' + target)"
    ),
    "leave a root": (
        "nested(); os.makedirs('/tmp/c', exist_ok=True); os.chroot('/tmp/c')\n"
        "[os.chdir('..') for _ in range(64)]; os.chroot('.'); write(other)"
    ),
    "a /proc of its own": (
        "nested(0x30020000)\nif os.fork() == 0:\n    mount('proc', '/proc', 'proc')\n"
        "    write(f'/proc/1/root' + other); os._exit(0)\nos.wait()"
    ),
    "an overlay of its own": (
        "nested()\nfor d in ('u', 'w', 'm'): os.makedirs('/tmp/o' + d, exist_ok=True)\n"
        "mount('overlay', '/tmp/om', 'overlay', 0, "
        "f'userxattr,lowerdir=/tmp/ou,upperdir={os.path.dirname(target)},workdir={home}/.local')\n"
        "write('/tmp/om/target.txt')\n"
    ),
    "a detached copy of the tree": (
        "nested(); fd = lib.syscall(428, -100, b'/', 1 | 0x8000)\n"
        "lib.syscall(442, fd, b'', 0x9000, struct.pack('QQQQ', 0, 1, 0, 0), 32)\n"
        "try: write(f'/proc/self/fd/{fd}{other}')\nexcept OSError: write(other)"
    ),
    "writable by mount_setattr": (
        "nested()\nfor line in open('/proc/self/mountinfo').read().splitlines():\n"
        "    p = os.fsencode(line.split()[4])\n"
        "    lib.syscall(442, -100, p, 0x8000, struct.pack('QQQQ', 0, 1, 0, 0), 32)\n"
        "write(other)"
    ),
    "another root by pivot": (
        "nested(); os.chdir('/'); lib.pivot_root(b'.', b'.'); lib.umount2(b'.', 2); write(other)"
    ),
    "a file mounted over another": "nested(); mount(target, other, None, 4096); write(other)",
    "a file by its handle": (
        "h = ctypes.create_string_buffer(struct.pack('Ii', 128, 0), 136); m = ctypes.c_int()\n"
        "lib.name_to_handle_at(-100, os.fsencode(other), h, ctypes.byref(m), 0); nested()\n"
        "fd = lib.open_by_handle_at(os.open(elsewhere, os.O_RDONLY), h, os.O_WRONLY)\n"
        "os.write(fd, b'escaped') if fd >= 0 else write(other)"
    ),
    "a program in memory": (
        "fd = os.memfd_create('x', 0); os.write(fd, open('/bin/sh', 'rb').read())\n"
        "os.execve(fd, ['sh', '-c', f'echo escaped > {other}'], {})"
    ),
    "two names exchanged": (
        "lib.renameat2(-100, os.fsencode(target), -100, os.fsencode(home + '/.bashrc'), 2)"
    ),
    "a mode by way of /proc": (
        "fd = os.open(target, os.O_PATH); os.chmod(f'/proc/self/fd/{fd}', 0o777)"
    ),
    "bytes spliced into a file": (
        "r, w = os.pipe(); os.write(w, b'escaped'); os.splice(r, os.open(target, os.O_WRONLY), 7)\n"
    ),
    "the namespaces of a process outside": (
        "nested(0x10000000)\nfor n in ('user', 'mnt', 'pid'):\n"
        "    try: lib.setns(os.open(f'/proc/{pid}/ns/{n}', os.O_RDONLY), 0)\n"
        "    except OSError: pass\nwrite(other)"
    ),
    "more rights by a program of another user": (
        "subprocess.run(['su', '-c', f'echo x > {other}', 'root'], stdin=subprocess.DEVNULL)\n"
        "write(other)"
    ),
}
