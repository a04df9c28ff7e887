"""More ways out of an isolated run, of the sort that people try second; see `escapes`."""

from __future__ import annotations

FRESH: dict[str, str] = {
    # -- another kind of thing under a name --------------------------------------------------------
    "a pipe in the place of a file": "os.unlink(target); os.mkfifo(target)",
    "a socket in the place of a file": (
        "os.unlink(target); socket.socket(socket.AF_UNIX).bind(target)"
    ),
    "a directory in the place of a file": "os.unlink(target); os.mkdir(target)",
    "a file in the place of a directory": (
        "d = os.path.dirname(target) + '/src'; os.rmdir(d); write(d, os.O_WRONLY | os.O_CREAT)"
    ),
    "a directory moved over another one": (
        "d = os.path.dirname(target); os.mkdir(d + '/x'); write(d + '/x/f', 65)\n"
        "os.rename(d + '/x', d + '/src')"
    ),
    "a directory moved out": "os.rename(os.path.dirname(target) + '/src', elsewhere + '/src')",
    "a file and one elsewhere exchanged": (
        "lib.renameat2(-100, os.fsencode(target), -100, os.fsencode(other), 2)"
    ),
    "the whole project deleted": "shutil.rmtree(os.path.dirname(target), ignore_errors=True)",
    "a socket made elsewhere": "socket.socket(socket.AF_UNIX).bind(elsewhere + '/made')",
    "a link made elsewhere": "os.symlink('x', elsewhere + '/link')",
    "the directory above penstock's state moved": "os.rename(home + '/.local', home + '/.other')",
    # -- what else a file has ----------------------------------------------------------------------
    "a set-user-id bit": "os.chmod(target, 0o4755)",
    "the mode of the project": "os.chmod(os.path.dirname(target), 0o777)",
    "an attribute of a directory": (
        "os.setxattr(os.path.dirname(target) + '/src', 'user.escaped', b'1')"
    ),
    "a hole in a file": (
        "fd = os.open(target, os.O_RDWR)\nlib.fallocate(fd, 3, ctypes.c_long(0), ctypes.c_long(5))"
    ),
    # -- other ways to write -----------------------------------------------------------------------
    "bytes sent into a file": (
        "s, t = os.open('/etc/passwd', os.O_RDONLY), os.open(target, os.O_WRONLY)\n"
        "os.sendfile(t, s, 0, 9)"
    ),
    "a write that waits for the disk": (
        "os.pwritev(os.open(target, os.O_WRONLY), [b'escaped'], 0, os.RWF_DSYNC)"
    ),
    "a descriptor for reading opened again": (
        "fd = os.open(target, os.O_RDONLY); write(f'/dev/fd/{fd}')"
    ),
    "a descriptor of a directory": (
        "fd = os.open(elsewhere, os.O_RDONLY); f = os.open('other.txt', os.O_WRONLY, dir_fd=fd)\n"
        "os.write(f, b'escaped')"
    ),
    "/proc/thread-self": "write('/proc/thread-self/root' + other)",
    "the task of a process outside": "write(f'/proc/{pid}/task/{pid}/root' + other)",
    "tee": "subprocess.run(['tee', target], input=b'escaped', stdout=-3)",
    "dd": "subprocess.run(['dd', 'if=/etc/passwd', f'of={other}', 'conv=notrunc'])",
    "an archive unpacked over the project": (
        "import io, tarfile\nt = tarfile.TarInfo('target.txt'); t.size = 3\n"
        "b = io.BytesIO(); a = tarfile.open(fileobj=b, mode='w')\n"
        "a.addfile(t, io.BytesIO(b'esc')); a.close()\n"
        "subprocess.run(['tar', '-xC', os.path.dirname(target)], input=b.getvalue())"
    ),
    "a descriptor handed over by a socket": (
        "a, b = socket.socketpair(); socket.send_fds(a, [b'x'], [os.open(other, os.O_RDONLY)])\n"
        "write(f'/proc/self/fd/{socket.recv_fds(b, 9, 1)[1][0]}')"
    ),
    "an asynchronous write": (
        "c, b = ctypes.c_ulong(), ctypes.create_string_buffer(b'escaped')\n"
        "fd = os.open(target, os.O_WRONLY); a = ctypes.addressof(b)\n"
        "i = struct.pack('=QIiHhIQQqQII', 0, 0, 0, 1, 0, fd, a, 7, 0, 0, 0, 0)\n"
        "i = ctypes.create_string_buffer(i); p = (ctypes.c_void_p * 1)(ctypes.addressof(i))\n"
        "lib.syscall(206, 1, ctypes.byref(c))\n"
        "lib.syscall(209, c, 1, p); time.sleep(0.05)"
    ),
    "a mode by the newest call": (
        "lib.syscall(452, -100, os.fsencode(other), 0o777, 0) and os.chmod(other, 0o777)"
    ),
    "times by a descriptor that opens nothing": (
        "fd = os.open(other, os.O_PATH); os.utime(f'/proc/self/fd/{fd}', (1, 1))"
    ),
    # -- what an overlay means by a deletion -------------------------------------------------------
    "a move that leaves the mark of a deletion": (
        "lib.renameat2(-100, os.fsencode(target), -100, os.fsencode(target + '.w'), 4)"
    ),
    "the mark of a deletion made by hand": "os.unlink(target); os.mknod(target, 0o020000, 0)",
    "the mark of a new directory made by hand": (
        "os.setxattr(os.path.dirname(target) + '/src', 'user.overlay.opaque', b'y')"
    ),
    # -- other names of sockets and pipes ----------------------------------------------------------
    "a socket by a descriptor of its directory": (
        "fd = os.open(elsewhere, os.O_PATH)\n"
        "socket.socket(socket.AF_UNIX, 2).sendto(b'x', f'/proc/self/fd/{fd}/socket')"
    ),
    "a socket by its own descriptor": (
        "fd = os.open(elsewhere + '/socket', os.O_PATH)\n"
        "socket.socket(socket.AF_UNIX, 2).sendto(b'x', f'/proc/self/fd/{fd}')"
    ),
    "a socket from its own directory": (
        "os.chdir(os.path.dirname(target)); socket.socket(socket.AF_UNIX, 2).sendto(b'x', 'socket')"
    ),
    "a socket in a directory that is bound again": (
        "nested(); os.makedirs(at['tmp'] + '/b'); mount(elsewhere, at['tmp'] + '/b', None, 4096)\n"
        "p = at['tmp'] + '/b/socket'; p = p if os.path.exists(p) else elsewhere + '/socket'\n"
        "try: socket.socket(socket.AF_UNIX, 2).sendto(b'x', p)\n"
        "finally: lib.umount2(os.fsencode(at['tmp'] + '/b'), 2), os.rmdir(at['tmp'] + '/b')"
    ),
    "a pipe by its own descriptor": (
        "fd = os.open(elsewhere + '/pipe', os.O_PATH)\n"
        "write(f'/proc/self/fd/{fd}', os.O_WRONLY | os.O_NONBLOCK)"
    ),
    # -- other processes ---------------------------------------------------------------------------
    "the scheduling of a process outside": (
        "os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0))"
    ),
    "the limits of a process outside": (
        "import resource; resource.prlimit(pid, resource.RLIMIT_NOFILE, (16, 16))"
    ),
    "the processors of a process outside": "os.sched_setaffinity(pid, {0})",
    "a signal to the group by descriptor": (
        "signal.pidfd_send_signal(os.pidfd_open(os.getpgrp()), signal.SIGUSR1, None, 4)"
    ),
    "a signal to the group by a pipe": (
        "a, b = socket.socketpair(); fcntl.fcntl(a, fcntl.F_SETOWN, -os.getpgrp())\n"
        "fcntl.fcntl(a, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK)\n"
        "signal.signal(signal.SIGIO, signal.SIG_IGN); b.send(b'x'); time.sleep(0.05)"
    ),
    "a signal to everybody": (
        "signal.signal(signal.SIGUSR1, signal.SIG_IGN)\n"
        "for p in (pid, -pid): \n"
        "    try: os.kill(p, signal.SIGUSR1)\n    except OSError: pass"
    ),
    "the memory of a process outside, by number": (
        "import resource\nlib.process_vm_writev(pid, None, 0, None, 0, 0)\n"
        "open(f'/proc/{pid}/clear_refs', 'w').write('1')\n"
        "resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))"
    ),
}
