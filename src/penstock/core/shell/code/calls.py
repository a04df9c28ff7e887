"""What calls mean for files, by language: tables that readers of code look names up in.

A name is written with dots whatever the language writes (`fs::write` is `fs.write`); the last two
parts of a name are looked up, then the last alone.
Always true: a row says what its call does with its arguments, never what arguments it gets.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct


class Like(Struct, frozen=True):
    """A call does to its arguments at `places` what a program with `flags` does."""

    program: str
    places: tuple[int, ...] = (0,)
    flags: tuple[str, ...] = ()


class Opens(Struct, frozen=True):
    """A call opens the file at `path`, for writing when the argument at `mode` says so."""

    path: int = 0
    mode: int = 1


class Starts(Struct, frozen=True):
    """A call runs a command: one text for a shell, or a program with its words.

    `skip` arguments come before it.
    """

    shell: bool = True
    skip: int = 0


class Evaluates(Struct, frozen=True):
    """A call runs a text in the same language."""


class Reads(Struct, frozen=True):
    """A call reads the file at `place`; one that it computes is nobody's question."""

    place: int = 0


Meaning = Like | Opens | Reads | Starts | Evaluates
Meanings = Mapping[str, Meaning]

WRITES = Like("tee")
DELETES = Like("rm", flags=("-r",))
UNLINKS = Like("rm")
CLOSES = Like("chown", flags=("x",))  # what lies below may no longer be reached
RENAMES = Like("mv", (0, 1), ("-T",))
MOVES = Like("mv", (0, 1))
COPIES = Like("cp", (0, 1))
LINKS = Like("ln", (0, 1), ("-T",))
SYMLINKS = Like("ln", (0, 1), ("-s", "-T"))
READS = Reads()
SHELL = Starts()
PROGRAM = Starts(shell=False)


def _rows(names: str, meaning: Meaning, *, of: str = "") -> dict[str, Meaning]:
    """Return a row for each of some names, behind the names of what they belong to."""
    owners = [f"{owner}." for owner in of.split()] or [""]
    return {owner + name: meaning for owner in owners for name in names.split()}


# Python

PYTHON: Meanings = {
    **_rows("open io.open codecs.open gzip.open bz2.open lzma.open tarfile.open", Opens()),
    **_rows("zipfile.ZipFile os.fdopen aiofiles.open builtins.open shelve.open dbm.open", Opens()),
    **_rows("remove unlink rmdir removedirs", UNLINKS, of="os"),
    **_rows("mkdir makedirs mkfifo mknod truncate utime setxattr", WRITES, of="os"),
    **_rows("os.chmod os.chown os.lchown shutil.chown", CLOSES),
    **_rows("sqlite3.connect logging.FileHandler numpy.save np.save", WRITES),
    **_rows("rename replace renames", RENAMES, of="os"),
    **_rows("copy copy2", COPIES, of="shutil"),
    "shutil.copyfile": Like("cp", (0, 1), ("-T",)),
    **_rows("shutil.copymode shutil.copystat urllib.request.urlretrieve", Like("tee", (1,))),
    "shutil.copytree": Like("cp", (0, 1), ("-r", "-T")),
    "shutil.move": MOVES,
    "shutil.rmtree": DELETES,
    "shutil.make_archive": WRITES,
    "os.symlink": SYMLINKS,
    "os.link": LINKS,
    **_rows("os.system os.popen commands.getoutput", SHELL),
    **_rows("getoutput getstatusoutput", SHELL, of="subprocess"),
    **_rows("run call Popen check_call check_output", PROGRAM, of="subprocess"),
    **_rows("create_subprocess_shell create_subprocess_exec", SHELL, of="asyncio"),
    **_rows("execv execve execvp execvpe execl execle execlp execlpe", PROGRAM, of="os"),
    **_rows("pty.spawn os.posix_spawn", PROGRAM),
    **_rows("exec eval builtins.exec builtins.eval", Evaluates()),
    **_rows("linecache.getlines linecache.getline", READS),
    **_rows("numpy.loadtxt np.loadtxt np.load np.genfromtxt", READS),
    **_rows("read_csv", READS, of="pd pandas pl polars"),
    **_rows("read_table", READS, of="pd pandas"),
    **_rows("dotenv_values dotenv.dotenv_values dotenv.get_key dotenv.main.get_key", READS),
    **_rows("set_key unset_key", WRITES, of="dotenv"),
}
# Methods of Python's paths.
PYTHON_PATHS: Meanings = {
    **_rows("write_text write_bytes touch mkdir chmod lchmod", WRITES),
    **_rows("unlink rmdir", UNLINKS),
    **_rows("rename replace", RENAMES),
    "symlink_to": Like("ln", (1, 0), ("-s", "-T")),
    "hardlink_to": Like("ln", (1, 0), ("-T",)),
    "open": Opens(),
    **_rows("read_text read_bytes", READS),
}

# JavaScript


def _both(names: Meanings) -> dict[str, Meaning]:
    """Node has each call with and without `Sync`."""
    return {form: meaning for name, meaning in names.items() for form in (name, name + "Sync")}


_JS: Meanings = {
    **_both(
        {
            **_rows("writeFile appendFile outputFile outputJson writeJson writeTextFile", WRITES),
            **_rows("truncate utimes mkdir ensureFile createFile", WRITES),
            **_rows("chmod chown", CLOSES),
            "unlink": UNLINKS,
            **_rows("rmdir rm remove", DELETES),
            **_rows("rename move", RENAMES),
            "copyFile": Like("cp", (0, 1), ("-T",)),
            **_rows("cp copy", Like("cp", (0, 1), ("-r", "-T"))),
            "symlink": SYMLINKS,
            "link": LINKS,
            "open": Opens(),
            "exec": SHELL,
            **_rows("execFile spawn", PROGRAM),
            **_rows("readFile readTextFile openAsBlob readJson", READS),
        }
    ),
    **_rows("createReadStream loadEnvFile Bun.file", READS),
    **_rows("createWriteStream Bun.write grunt.file.write file.write", WRITES),
    **_rows("Deno.remove file.delete", DELETES),
    "file.copy": Like("cp", (0, 1), ("-T",)),
    **_rows("execa execaSync execaCommand execaCommandSync shell.exec", SHELL),
    "Deno.Command": PROGRAM,
    **_rows("eval Function runInThisContext runInNewContext", Evaluates()),
}

# Perl, Ruby, PHP, Lua

_PERL: Meanings = {
    **_rows("unlink rmdir", UNLINKS),
    **_rows("rmtree remove_tree", DELETES),
    "rename": RENAMES,
    "move": MOVES,
    "copy": COPIES,
    "link": LINKS,
    "symlink": SYMLINKS,
    **_rows("mkdir truncate write_file spew", WRITES),
    "chmod": Like("tee", (1,)),
    **_rows("read_file slurp read_text do require", READS),
    **_rows("system exec qx", SHELL),
    "eval": Evaluates(),
}
_FILE_UTILITIES: Meanings = {
    **_rows("rm rm_f remove remove_file", UNLINKS),
    **_rows("rm_r rm_rf remove_dir rmtree", DELETES),
    **_rows("cp cp_r copy copy_file install", COPIES),
    **_rows("touch mkdir mkdir_p makedirs", WRITES),
    **_rows("mv move", MOVES),
    **_rows("ln_s ln_sf", SYMLINKS),
    "ln": LINKS,
}
_RUBY: Meanings = {
    **_rows("read readlines foreach binread", READS, of="File IO"),
    **_rows("YAML.load_file CSV.read Dotenv.parse load", READS),
    **_rows("open File.open File.new", Opens()),
    **_rows("write binwrite", WRITES, of="File IO"),
    **_rows("delete unlink", UNLINKS, of="File"),
    "File.rename": RENAMES,
    "File.symlink": SYMLINKS,
    "File.link": LINKS,
    **_rows("File.truncate Dir.mkdir", WRITES),
    "File.chmod": Like("tee", (1,)),
    **_rows("rmdir delete", UNLINKS, of="Dir"),
    **{f"FileUtils.{name}": meaning for name, meaning in _FILE_UTILITIES.items()},
    **_rows("system exec spawn IO.popen Open3.capture2 Open3.capture2e Open3.capture3", SHELL),
    **_rows("eval instance_eval", Evaluates()),
}
_PHP: Meanings = {
    **_rows("file_get_contents file readfile parse_ini_file show_source highlight_file", READS),
    **_rows("include require", READS),
    **_rows("file_put_contents touch mkdir chmod", WRITES),
    "fopen": Opens(),
    **_rows("unlink rmdir", UNLINKS),
    **_rows("rename move_uploaded_file", RENAMES),
    "copy": Like("cp", (0, 1), ("-T",)),
    "symlink": SYMLINKS,
    "link": LINKS,
    **_rows("system exec shell_exec passthru popen proc_open", SHELL),
    "eval": Evaluates(),
}
_LUA: Meanings = {
    "io.open": Opens(),
    **_rows("io.lines io.input dofile loadfile", READS),
    "io.output": WRITES,
    "os.remove": UNLINKS,
    "os.rename": RENAMES,
    **_rows("os.execute io.popen", SHELL),
    **_rows("loadstring load", Evaluates()),
}

# Compiled languages, as their sources say

_GO: Meanings = {
    **_rows("WriteFile Create Truncate Mkdir MkdirAll Chmod Chtimes", WRITES, of="os"),
    "ioutil.WriteFile": WRITES,
    **_rows("Remove RemoveAll", DELETES, of="os"),
    "os.Rename": RENAMES,
    "os.Symlink": SYMLINKS,
    "os.Link": LINKS,
    "os.OpenFile": WRITES,
    **_rows("os.ReadFile ioutil.ReadFile os.Open", READS),
    "exec.Command": PROGRAM,
    "exec.CommandContext": Starts(shell=False, skip=1),
    **_rows("Run RunV Output", PROGRAM, of="sh"),
    "sh.Rm": DELETES,
    "sh.Copy": Like("cp", (1, 0), ("-T",)),
}
_RUST: Meanings = {
    **_rows("fs.write File.create File.create_new fs.create_dir fs.create_dir_all", WRITES),
    "fs.remove_file": UNLINKS,
    **_rows("fs.remove_dir fs.remove_dir_all", DELETES),
    "fs.rename": RENAMES,
    "fs.copy": Like("cp", (0, 1), ("-T",)),
    "fs.hard_link": LINKS,
    **_rows("unix.fs.symlink fs.symlink", SYMLINKS),
    **_rows("fs.read fs.read_to_string File.open include_str include_bytes", READS),
}
_JVM: Meanings = {
    **_rows("write writeString createFile newBufferedWriter newOutputStream", WRITES, of="Files"),
    **_rows("delete deleteIfExists", UNLINKS, of="Files"),
    "Files.move": RENAMES,
    "Files.copy": Like("cp", (0, 1), ("-T",)),
    "Files.createLink": Like("ln", (1, 0), ("-T",)),
    "Files.createSymbolicLink": Like("ln", (1, 0), ("-s", "-T")),
    **_rows("readString readAllLines readAllBytes lines newBufferedReader", READS, of="Files"),
    **_rows("FileWriter FileOutputStream PrintWriter PrintStream", WRITES),
    **_rows("FileReader FileInputStream Source.fromFile", READS),
    "RandomAccessFile": Opens(),
    **_rows("ProcessBuilder commandLine", PROGRAM),
    "exec": SHELL,
    "delete": DELETES,
}
_CSHARP: Meanings = {
    **_rows("WriteAllText WriteAllLines WriteAllBytes AppendAllText Create", WRITES, of="File"),
    **_rows("OpenWrite CreateText AppendText", WRITES, of="File"),
    **_rows("File.Delete Directory.Delete", DELETES),
    "File.Move": RENAMES,
    "File.Copy": Like("cp", (0, 1), ("-T",)),
    "StreamWriter": WRITES,
    **_rows("ReadAllText ReadAllLines ReadAllBytes ReadLines OpenRead OpenText", READS, of="File"),
    "Process.Start": PROGRAM,
}
_ELIXIR: Meanings = {
    **_rows("write write! touch touch! mkdir_p", WRITES, of="File"),
    **_rows("rm rm! rm_rf rm_rf!", DELETES, of="File"),
    **_rows("rename rename!", RENAMES, of="File"),
    **_rows("cp cp! copy copy!", COPIES, of="File"),
    **_rows("File.open File.open!", Opens()),
    **_rows("read read! stream!", READS, of="File"),
    "System.cmd": PROGRAM,
    **_rows("System.shell os.cmd", SHELL),
}
_R: Meanings = {
    **_rows("writeLines write.csv write.table saveRDS write", Like("tee", (1,))),
    **_rows("file.remove unlink", DELETES),
    **_rows("file.create sink", WRITES),
    "file.rename": RENAMES,
    "file.copy": COPIES,
    **_rows("system shell", SHELL),
    "system2": PROGRAM,
    **_rows("readLines read.table read.csv scan readRDS source readr.read_file", READS),
}
_C: Meanings = {
    **_rows("fopen freopen fopen64", Opens()),
    **_rows("ifstream open openat wifstream mmap_file slurp", READS),
    **_rows("ofstream fstream creat wofstream", WRITES),
    **_rows("unlink remove rmdir", UNLINKS),
    "rename": RENAMES,
    **_rows("system popen", SHELL),
    **_rows("execl execlp execv execvp", Starts(shell=False, skip=1)),
}
# What languages without a table of their own call it.
_OTHER: Meanings = {
    **_rows("system exec", SHELL),
    **_rows("rm unlink removeItem remove_file", DELETES),
    **_rows("write writefile write_file touch createFile", WRITES),
    **_rows("mv rename", RENAMES),
    **_rows("cp copy copyItem", COPIES),
    **_rows("open fopen", Opens()),
    **_rows("readLines readFileSync slurp read_file File.read ReadFile readFile", READS),
}
CALLS: Mapping[str, Meanings] = {
    "python": {**PYTHON, **{f"Path.{name}": one for name, one in PYTHON_PATHS.items()}},
    "js": _JS,
    "perl": _PERL,
    "ruby": _RUBY,
    "rake": {**_RUBY, **_FILE_UTILITIES, "sh": SHELL, "ruby": Starts(shell=False)},
    "php": _PHP,
    "lua": _LUA,
    "go": _GO,
    "rust": _RUST,
    "jvm": _JVM,
    "csharp": _CSHARP,
    "elixir": _ELIXIR,
    "r": _R,
    "c": _C,
}


def calls_of(language: str) -> Meanings:
    """Return the table of a language."""
    return CALLS.get(language, _OTHER)
