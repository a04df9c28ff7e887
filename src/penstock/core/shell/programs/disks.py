"""Programs that write a disk past its file system, and those that leave nothing of a file.

`dd`, `shred` and redirections name a device like any file; these have their own words for it.
Always true: looking (`fdisk -l`, `parted print`) writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from penstock.core.shell.effects import (
    Effect,
    Program,
    ProgramCall,
    deleted,
    options,
    written,
)

_DEVICES = ("/dev/", "\\\\.\\")
# What shows a partition table, by program; one of these among the words, and nothing is written.
_LOOKS: Mapping[str, frozenset[str]] = {
    "fdisk": frozenset({"-l", "--list", "-x", "--list-details", "-s", "--getsz"}),
    "sfdisk": frozenset({"-l", "--list", "-d", "--dump", "-J", "--json", "-V", "--verify", "-s"}),
    "sgdisk": frozenset({"-p", "--print", "-i", "--info", "-v", "--verify", "-L", "--list-types"}),
    "gdisk": frozenset({"-l"}),
    "parted": frozenset({"-l", "--list", "print", "unit", "help"}),
    "cryptsetup": frozenset({"status", "luksDump", "isLuks", "luksUUID", "benchmark"}),
    "mdadm": frozenset({"--detail", "-D", "--examine", "-E", "--query", "-Q"}),
    "badblocks": frozenset(),
    "hdparm": frozenset({"-I", "-i", "-t", "-T", "-tT", "-C"}),
    "diskutil": frozenset({"list", "info"}),
    "nvme": frozenset({"list", "id-ctrl", "id-ns", "smart-log"}),
}
_BADBLOCKS_WRITES = frozenset({"-w", "-wsv", "-wvs", "-n", "-nsv", "-wv", "-ws"})


def on_devices(call: ProgramCall) -> Iterator[Effect]:
    """Each device among the words is written, unless the words only ask for a look."""
    words = {word.text for word in call.args}
    looks = not words.isdisjoint(_LOOKS.get(call.name, ()))
    if looks or (call.name == "badblocks" and words.isdisjoint(_BADBLOCKS_WRITES)):
        return
    yield from written(word for word in call.args if word.text.startswith(_DEVICES))


def formatted(call: ProgramCall) -> Iterator[Effect]:
    """A file system is made on each device, or in the file that is named last."""
    words = [word for word in call.args if not word.text.startswith("-")]
    named = [word for word in words if word.text.startswith(_DEVICES)]
    yield from written(named or words[-1:])


def _wipefs(call: ProgramCall) -> Iterator[Effect]:
    found = options(call.args, short="otO", long="offset types output lock")
    if found.has("a", "all", "o", "offset"):
        yield from written(found.operands)


def _shred(call: ProgramCall) -> Iterator[Effect]:
    """What is shredded is meant never to come back: it counts like a whole directory."""
    found = options(call.args, short="ns", long="iterations size random-source")
    gone = found.has("u", "remove")
    yield from (deleted if gone else written)(found.operands, tree=True)


DISKS: Mapping[str, Program] = {
    **dict.fromkeys(_LOOKS, on_devices),
    **dict.fromkeys(
        ("cfdisk", "blkdiscard", "tune2fs", "resize2fs", "xfs_repair", "fsck", "e2fsck", "mke2fs"),
        on_devices,
    ),
    **dict.fromkeys(("pvcreate", "pvremove", "vgcreate", "vgremove", "lvremove"), on_devices),
    **dict.fromkeys(("zpool", "swapon", "losetup", "partprobe", "dmsetup"), on_devices),
    **dict.fromkeys(
        (
            *("mkfs", "mkfs.ext2", "mkfs.ext3", "mkfs.ext4", "mkfs.xfs", "mkfs.btrfs", "mkfs.f2fs"),
            *("mkfs.vfat", "mkfs.fat", "mkfs.msdos", "mkfs.exfat", "mkfs.ntfs", "mkfs.minix"),
            *("mkdosfs", "mkntfs", "mkswap", "newfs", "newfs_apfs", "newfs_hfs"),
        ),
        formatted,
    ),
    "wipefs": _wipefs,
    "shred": _shred,
    "srm": lambda call: deleted(options(call.args).operands, tree=True),
}
