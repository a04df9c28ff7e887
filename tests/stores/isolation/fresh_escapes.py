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
    # -- other processes ---------------------------------------------------------------------------
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
