"""What shell commands would write, as tables; and that bash agrees.

A row's answer lists targets: `+a` is written, `-a` is deleted, `+d/**` with everything below.
Paths are joined to the directory the command would be in. Targets that depend on a disk
(`cp a b` when `b` is a directory) have a table of their own.
"""

from __future__ import annotations

import os
import posixpath
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from penstock.core.model import Action
from penstock.core.shell.analyze import MOST_TEXT, NOT_PARSED, TOO_LARGE, ShellEffect, writes


def told(effect: ShellEffect, *, conditional: bool = False) -> set[str]:
    found = set()
    for target in effect.targets:
        if bool(target.within) is conditional and target.action is not Action.READ:
            mark = "-" if target.action is Action.DELETE else "+"
            path = posixpath.normpath(posixpath.join(target.base, target.path))
            found.add(mark + path + ("/**" if target.tree else ""))
    return found


def rows(text: str) -> list[tuple[str, set[str]]]:
    """Read a table: `command  =>  targets`; a backslash-n in it is a line end."""
    out = []
    for line in text.strip().splitlines():
        command, _, answer = line.strip().rpartition("=>")
        if line.strip():
            out.append((command.strip().replace("⏎", "\n"), set(answer.split())))
    return out


REDIRECTIONS = rows("""
    echo x > a                              => +a
    echo x >> a                             => +a
    echo x >| a                             => +a
    echo x >a                               => +a
    echo x>a                                => +a
    cmd &> a                                => +a
    cmd &>> a                               => +a
    cmd >& a                                => +a
    cmd <> a                                => +a
    cmd 2> a                                => +a
    cmd 1> a 2> b                           => +a +b
    cmd {fd}> a                             => +a
    cmd >! a                                => +a
    > a                                     => +a
    x=1 > a                                 => +a
    2>a ls                                  => +a
    > a echo x                              => +a
    echo a > b c                            => +b
    exec > a                                => +a
    exec 3> a                               => +a
    { echo; } > a                           => +a
    ( echo ) > a 2> b                       => +a +b
    while x; do y; done > a                 => +a
    for i in 1; do y; done >> a             => +a
    if x; then y; fi > a                    => +a
    case x in x) y;; esac > a               => +a
    f() { x; } > a; f                       => +a
    [ b > a ]                               => +a
    test b > a                              => +a
    cat > a <<EOF⏎> b⏎EOF                   => +a
    cat <<EOF > a⏎rm x⏎EOF                  => +a
    cat <<'A' <<"B" > a⏎x⏎A⏎y⏎B⏎rm c       => +a -c
    cat <<-E > a⏎	x⏎	E⏎rm b               => +a -b
    echo x | cat > a                        => +a
    echo x > /proc/self/cwd/a               => +a
    echo x > /proc/self/root/etc/a          => +/etc/a
""")

PROGRAMS = rows("""
    tee a b                                 => +a +b
    tee -a a                                => +a
    tee -- a                                => +a
    sponge a                                => +a
    sed -i s/a/b/ f g                       => +f +g
    sed -i.bak s/a/b/ f                     => +f +f.bak
    sed -i'old/*' s/a/b/ d/f                => +d/f +old/f
    sed --in-place=.o s/a/b/ f              => +f +f.o
    sed --in-pl s/a/b/ f                    => +f
    sed -ni p f                             => +f
    sed -Ei s/a/b/ f                        => +f
    sed -i '' s/a/b/ f                      => +f
    sed -i -e s/a/b/ -e s/c/d/ f            => +f
    sed -i -f script f                      => +f
    sed -n 's/a/b/w out' f                  => +out
    sed -n '/x/,/y/w out' f                 => +out
    sed 's,[,],x,;w out' f                  => +out
    sed 's/[/]/x/w out' f                   => +out
    sed -e 'a\\' -e 'x' -e 'w out' f        => +out
    sed '\\,x,W out' f                      => +out
    sed '1!{s/a/b/⏎w out⏎}' f               => +out
    sed 'y/w/x/;:w;b w;l 5;q;# w no⏎w out'  => +out
    sed '1e rm a' f                         => -a
    sed 's/[/x/;w out' f                    => +out
    sed s                                   =>
    sed '\\x[x]xd;w out' f                   => +out
    cp a d/                                 => +d/a
    cp /x/.env .                            => +.env
    cp a b d/                               => +d/a +d/b
    cp -t d a                               => +d/a
    cp --target-directory=d a               => +d/a
    cp --targ=d a                           => +d/a
    cp -T a b                               => +b
    cp -r a d/                              => +d/a/**
    cp -r a/. d                             => +d/** +d/**
    cp -l a d/                              => +d/a +a
    cp a                                    =>
    mv -T a b                               => +b/** -a/**
    mv a b d/                               => +d/a/** +d/b/** -a/** -b/**
    mv -t d a                               => +d/a/** -a/**
    ln -T a b                               => +b +a
    ln -sT a b                              => +b
    ln -s x/a                               => +a
    ln x/a                                  => +a +x/a
    ln -s -t d a                            => +d/a
    install -m 644 -T a b                   => +b
    install -d x y                          => +x +y
    rsync -a a/ d/                          => +d/**
    rsync -a a d/                           => +d/a/**
    rsync --remove-source-files a h:b       => -a/**
    rsync -a --delete a/ d/                 => +d/** -d/**
    rsync -n a d/                           =>
    rsync a h:b                             =>
    rsync a                                 =>
    scp h:x/a d/                            => +d/a
    scp a h:b                               =>
    rm a b                                  => -a -b
    rm -rf a                                => -a/**
    rm -- -x                                => --x
    rmdir a                                 => -a
    unlink a                                => -a
    shred a                                 => +a/**
    shred -u a                              => -a/**
    trash a                                 => -a
    gio trash a                             => -a
    gio open a                              =>
    dd if=x of=a bs=1                       => +a
    truncate -s 0 a                         => +a
    fallocate -l 1 a                        => +a
    touch -d now a                          => +a
    touch a b                               => +a +b
    mkdir -p -m 700 a/b                     => +a/b
    mkfifo a                                => +a
    mknod a p                               => +a
    chmod +x a                              => +a
    chmod -x a                              => +a
    chmod u=rw,go= a b                      => +a +b
    chmod -R 755 d                          => +d/**
    chmod --reference=x a                   => +a
    chmod "$M" a                            => +a
    chown me:us a                           => +a
    chown --reference=x a                   => +a
    chgrp -R us d                           => +d/**
    chattr +i a                             => +a
    setfacl -m u:me:r a                     => +a
    setfattr -n user.x -v y a               => +a
    sort -o a b                             => +a
    sort b -oa                              => +a
    sort --output=a b                       => +a
    uniq a b                                => +b
    iconv -o a b                            => +a
    shuf -o a b                             => +a
    xxd -r a b                              => +b
    xxd a                                   =>
    gzip a                                  => +a.gz -a
    gzip -k a                               => +a.gz
    gzip -c a                               =>
    gunzip a.gz                             => +a -a.gz
    gzip -d a.gz                            => +a -a.gz
    bzip2 a                                 => +a.bz2 -a
    unxz a.xz                               => +a -a.xz
    zstd -o a b                             => +a
    tar czf a.tgz d                         => +a.tgz
    tar -cf a.tar d --remove-files          => +a.tar -d/**
    tar --create --file a.tar d             => +a.tar
    tar rf a.tar d                          => +a.tar
    tar xf a.tar b c                        => +b +c
    tar xfC a.tar d b                       => +d/b
    tar -xf a.tar -C d b                    => +d/b
    tar tf a.tar                            =>
    unzip a.zip b -d d                      => +d/b
    unzip -l a.zip                          =>
    zip a.zip b                             => +a.zip
    zip -m a.zip b                          => +a.zip -b
    7z a x.7z b                             => +x.7z
    7z x x.7z b -oout                       => +out/b
    7z l x.7z                               =>
    ar rcs lib.a x.o                        => +lib.a
    curl -o a http://h/x                    => +a
    curl -sSLo a http://h/x                 => +a
    curl --output a http://h/x              => +a
    curl -O http://h/x/y.txt?q=1            => +y.txt
    curl -O --output-dir d http://h/y       => +d/y
    curl --head http://h/x -o a             => +a
    curl -D h -c jar http://h/x             => +h +jar
    curl http://h/x                         =>
    curl -o - http://h/x                    =>
    wget http://h/x/y.txt                   => +y.txt
    wget http://h                           => +index.html
    wget -P d http://h/y                    => +d/y
    wget -O a http://h/y                    => +a
    wget -qO- http://h/y                    =>
    wget -o log --spider http://h/y         => +log
    patch f x.diff                          => +f
    patch -d d f x.diff                     => +d/f
    patch -o a f x.diff                     => +a
    patch --dry-run < x                     =>
    patch -p1 <<E⏎--- a/x⏎+++ b/x⏎@@ -1 +1 @@⏎-a⏎+b⏎E => +x
    git apply <<E⏎--- a/x⏎+++ b/x⏎@@ -1 +1 @@⏎-a⏎+b⏎E => +x
    git -C d apply <<E⏎--- a/x⏎+++ b/x⏎@@ -1 +1 @@⏎-a⏎+b⏎E => +d/x
    ed -s a                                 => +a
    ex -sc wq a                             => +a
    vim a                                   => +a
    vim -R a                                =>
    vim -es -c 'w! b' -c q a                => +a +b
    vim +'w b' a                            => +a +b
    ed a <<E⏎w b⏎q⏎E                        => +a +b
    nano a                                  => +a
    yq -i .a=1 f                            => +.a=1 +f
    yq .a f                                 =>
    jq --in-place . a                       => +. +a
    gofmt -w a.go                           => +a.go
    prettier --write a.js                   => +a.js
    dos2unix a                              => +a
    openssl rand -out a 5                   => +a
    gpg -o a -d b                           => +a
    ssh-keygen -t rsa -f a                  => +a +a.pub
    ssh-keygen -l -f a                      =>
    sqlite3 a 'x'                           => +a
    sqlite3 -readonly a 'x'                 =>
    gcc a.c -o a                            => +a
    pandoc -o a b                           => +a
    mount --bind x y                        => +y/**
    rename s/a/b/ x y                       => +x +y
    cpio -O a                               => +a
    find . -fprint a                        => +a
    script -c 'rm b' a                      => +a -b
    strace -o a rm b                        => +a -b
    /usr/bin/time -o a rm b                 => +a -b
    flock a rm b                            => +a -b
    flock a -c 'rm b'                       => +a -b
    flock 9 rm b                            => -b
    sudo -e a                               => +a
    cpio -i -D d b                          => +d/**
    jar cf a.jar d                          => +a.jar
""")

AWK = rows(r"""
    awk '{print > "a"}' x                   => +a
    awk '{print >> "a"}' x                  => +a
    awk '{printf "%s", $1 > "a"; x = 1}'    => +a
    awk -v f=a '{print > f}' x              => +a
    awk '{print > f}' f=a x                 => +a
    awk '/"/{print > "a"}' x                => +a
    awk '{print | "tee a"}' x               => +a
    awk '{"rm a" | getline}' x              => -a
    awk 'BEGIN{system("rm a")}'             => -a
    awk 'BEGIN { # note⏎ print > ("a")⏎ }'  => +a
    gawk -i inplace '{print}' a b           => +a +b
    gawk -e '{print > "a"}' x               => +a
    awk '$1 > 5 {print}' x                  =>
    awk '{print ($1 > 2)}' x                =>
    awk '{ if ($1 > $2) print $1 }' x       =>
    awk -f prog x                           =>
""")

GIT = rows("""
    git restore --staged a                  =>
    git config user.name x                  =>
    git config alias.co checkout            =>
    git config user.email "$EMAIL"          =>
    git config alias.x "$X"                 => +.git/config
    git config core.hooksPath x             => +.git/config
    git config set core.fsmonitor x         => +.git/config
    git config --add filter.a.clean x       => +.git/config
    git config alias.x '!sh'                => +.git/config
    git config core.sshCommand "$X"         => +.git/config
    git config "$K" x                       => +.git/config
    git config --unset core.pager           => +.git/config
    git config --remove-section user        => +.git/config
    git config --global user.name x         =>
    git config --global core.pager x        => +~/.gitconfig
    git config --global gpg.format ssh      => +~/.gitconfig
    git config --system user.name x         => +/etc/gitconfig
    git config -f a user.name x             => +a
    git config --unset user.name            =>
    git config set user.name x              =>
    git config edit                         => +.git/config
    git config user.name                    =>
    git config --get user.name              =>
    git config get user.name                =>
    git config -l                           =>
    git -C d config core.pager x            => +d/.git/config
    git -C d -C e config core.pager x       => +d/e/.git/config
    git --no-pager -c core.pager=cat diff   =>
    git mv -T a b                           => +b/** -a/**
    git mv -n a b                           =>
    git rm --cached a                       =>
    git init                                =>
    git init d                              => +d
    git init --separate-git-dir e d         => +d +e/**
    git clone http://h/x/y.git              => +y/**
    git clone git@h:y.git                   => +y/**
    git clone http://h/y d                  => +d/**
    git worktree move a b                   => -a/**
    git submodule add http://h/x d          => +.gitmodules +d/**
    git diff --output=a                     => +a
    git archive -o a HEAD                   => +a
    git format-patch -o d HEAD              => +d/0001.patch
    git bundle create a HEAD                => +a
    git bundle verify a                     =>
    git apply --check x.diff                =>
    git checkout -b x                       =>
    git switch -c x                         =>
    git stash list                          =>
    git reset HEAD a                        =>
    git clean -n                            =>
    git merge --abort                       =>
    git add . && git commit -m x && git push =>
    git status                              =>
    git log -p                              =>
    git branch -D x                         =>
    git                                     =>
    git --version                           =>
""")

RUNNERS = rows("""
    sudo rm a                               => -a
    sudo -u me -- rm a                      => -a
    sudo A=b rm a                           => -a
    doas rm a                               => -a
    env rm a                                => -a
    env -i A=b rm a                         => -a
    env -u X -C d rm a                      => -d/a
    env -S 'rm a'                           => -a
    timeout 5 rm a                          => -a
    timeout -s KILL -k 1 5 rm a             => -a
    nice rm a                               => -a
    nice -n 5 rm a                          => -a
    nice -5 rm a                            => -a
    ionice -c3 rm a                         => -a
    nohup rm a                              => -a
    setsid rm a                             => -a
    stdbuf -oL rm a                         => -a
    time rm a                               => -a
    time -p rm a                            => -a
    time { rm a; }                          => -a
    command rm a                            => -a
    command -v rm a                         =>
    builtin eval 'rm a'                     => -a
    exec rm a                               => -a
    exec -a x rm a                          => -a
    busybox rm a                            => -a
    busybox sh -c 'rm a'                    => -a
    noglob rm a                             => -a
    watch -n 1 'rm a'                       => -a
    su -c 'rm a' me                         => -a
    uv run rm a                             => -a
    uv run --with x python -c "open('a','w')" => +a
    uv sync                                 =>
    npx rm a                                => -a
    sudo env A=b timeout 5 nice -n 3 rm a   => -a
    sh -c 'rm a'                            => -a
    bash -lc 'rm a'                         => -a
    bash -o pipefail -ec 'rm a'             => -a
    bash +e -c 'rm a'                       => -a
    bash -c 'rm "$1"' x a                   => -a
    bash -c 'sh -c "rm a"'                  => -a
    bash -c                                 =>
    eval 'rm a'                             => -a
    eval rm a                               => -a
    eval 'F=a'; rm $F                       => -a
    eval                                    =>
    bash <<< 'rm a'                         => -a
    bash <<E⏎rm a⏎E                         => -a
    bash -s <<E⏎rm a⏎E                      => -a
    echo 'rm a' | sh                        => -a
    printf 'rm %s\\n' a | sh                => -a
    cat <<E | sh⏎rm a⏎E                     => -a
    { echo 'rm a'; } | sh                   => -a
    echo 'rm a' | at now                    => -a
    source /dev/stdin <<< 'rm a'            => -a
    echo 'rm a' > x; bash x                 => +x -a
    echo 'rm a' > x; . ./x                  => +x -a
    echo 'rm a' > x; bash < x               => +x -a
    echo 'rm a' | tee x; sh x               => +x -a
    cat > x <<'E'⏎#!/bin/sh⏎rm a⏎E⏎chmod +x x; ./x => +x -a
    cat > x.py <<'E'⏎import os⏎os.remove('a')⏎E⏎python3 x.py => +x.py -a
    cat > x <<'E'⏎#!/usr/bin/env python3⏎open('a','w')⏎E⏎./x => +x +a
    trap 'rm a' EXIT                        => -a
    alias x='rm a'                          => -a
    echo a b | xargs rm                     => -a/** -b/**
    echo a | xargs -I{} rm {}               => -a/**
    echo a | xargs -i rm {}                 => -a/**
    printf a,b | xargs -d , rm              => -a/** -b/**
    printf 'a\\0b' | xargs -0 rm            => -a/** -b/**
    echo a | xargs sh -c 'rm "$1"' x        => -a
    echo a | xargs                          =>
    ls | xargs grep x                       =>
    parallel rm ::: a b                     => -a -b
    parallel 'rm {}' ::: a                  => -a
    find . -exec grep x {} +                =>
    find . -name x                          =>
    EDITOR='rm a' git commit                => -a
    coproc rm a                             => -a
    coproc X { rm a; }                      => -a
    perf stat rm a                          => -a
    apply_patch <<'E'⏎*** Begin Patch⏎*** Add File: a⏎+x⏎*** Delete File: b⏎*** End Patch⏎E => +a -b
    apply_patch '*** Begin Patch⏎*** Update File: a⏎*** Move to: c⏎@@⏎-x⏎+y⏎*** End Patch' => -a +c
""")

CODE = rows("""
    python -c "open('a','w')"               => +a
    python3.11 -c "open('a', mode='a')"     => +a
    python3 -c "open('a')"                  =>
    python3 -c "open('a','rb')"             =>
    python3 -c "from pathlib import Path; Path('a').write_text('x')" => +a
    python3 -c "from pathlib import Path as P; (P('d')/'a').unlink()" => -d/a
    python3 -c "import pathlib; p=pathlib.Path('d','a'); p.rename('b')" => +b/** -d/a/**
    python3 -c "from pathlib import Path; Path('d').joinpath('a').resolve().touch()" => +d/a
    python3 -c "from pathlib import Path; (Path.home()/'a').touch()" => +~/a
    python3 -c "from pathlib import Path; (Path.cwd()/'a').open('w')" => +a
    python3 -c "from pathlib import Path; Path('l').symlink_to('t')" => +l
    python3 -c "import os; os.remove('a')"  => -a
    python3 -c "import os as o; o.unlink('a')" => -a
    python3 -c "from os import remove as r; r('a')" => -a
    python3 -c "__import__('os').remove('a')" => -a
    python3 -c "import os; getattr(os,'remove')('a')" => -a
    python3 -c "o=open; o('a','w')"         => +a
    python3 -c "import os; os.rename('a','b')" => +b/** -a/**
    python3 -c "import os; os.open('a', os.O_WRONLY|os.O_CREAT)" => +a
    python3 -c "import os; os.open('a', os.O_RDONLY)" =>
    python3 -c "import os; os.open('a', x)" => +a
    python3 -c "f: str = 'a'; open(f,'w')"  => +a
    python3 -c "(f := 'a'); open(f,'w')"    => +a
    python3 -c "open(str('a'),'w'); open('b'.strip(),'w')" => +a +b
    python3 -c "from pathlib import Path; (Path('a')/'/b').touch()" => +/b
    python3 -c "from pathlib import Path; p=Path('a'); q=p; q.replace('b')" => +b/** -a/**
    python3 -c "from pathlib import Path; Path('a').expanduser().rename('b')" => +b/** -a/**
    echo "open('a','w')" > x; python3 -c "import runpy; runpy.run_path('x')" => +x +a
    python3 -c "import os; os.makedirs(os.path.join('d','a'))" => +d/a
    python3 -c "import os; os.chmod('a', 0)" => +a
    python3 -c "import os; os.link('a', 'b')" => +a +b
    python3 -c "import shutil; shutil.copyfile('a','b')" => +b
    python3 -c "import shutil; shutil.rmtree('a')" => -a/**
    python3 -c "import shutil; shutil.copytree('a','b')" => +b/**
    python3 -c "f='a'; open(f,'w')"         => +a
    python3 -c "d='d'; open(f'{d}/a','w')"  => +d/a
    python3 -c "open('.e'+'nv','w')"        => +.env
    python3 -c "open(''.join(['.','env']),'w')" => +.env
    python3 -c "open(chr(46)+'env','w')"    => +.env
    python3 -c "open(b'a'.decode(),'w')"    => +a
    python3 -c "for f in ['a','b']: open(f,'w')" => +a +b
    python3 -c "a,b='x','y'; open(b,'w')"   => +y
    python3 -c "open('a' if x else 'b','w')" => +a +b
    python3 -c "import sys; open(sys.argv[1],'w')" a => +a
    python3 -c "import os; os.system('rm a')" => -a
    python3 -c "import subprocess; subprocess.run(['rm','a'])" => -a
    python3 -c "import subprocess; subprocess.run(['rm','a'],cwd='d')" => -d/a
    python3 -c "import subprocess; subprocess.run('rm a',shell=True)" => -a
    python3 -c "import subprocess; c=['rm','a']; subprocess.call(c)" => -a
    python3 -c "import subprocess; subprocess.check_output('rm a'.split())" => -a
    python3 -c "import os; os.execvp('rm',['rm','a'])" => -a
    python3 -c "import os; os.execlp('rm','rm','a')" => -a
    python3 -c "import asyncio; asyncio.create_subprocess_exec('rm','a')" => -a
    python3 -c "exec('open(\\'a\\',\\'w\\')')" => +a
    python3 -c "exec(compile('open(\\'a\\',\\'w\\')','','exec'))" => +a
    python3 -c "import fileinput; fileinput.input(['a'], inplace=True)" => +a
    python3 -c "import fileinput; fileinput.input(['a'])" =>
    python3 -c "df.to_csv('a')"             => +a
    python3 -c "'a'.replace('b','c')"       =>
    python3 -c "x.rename(columns={})"       =>
    python3 -c "getattr(x, y)('z')"         =>
    python3 -c "(lambda: 1)(); x[0](); print('a > b')" =>
    python3 - <<'E'⏎open('a','w')⏎E         => +a
    python3 <<< "open('a','w')"             => +a
    echo "open('a','w')" | python3          => +a
    python3 -m json.tool a                  =>
    python3 x.py                            =>
    node -e "require('fs').writeFileSync('a','x')" => +a
    node -pe "fs.unlinkSync('a')"           => -a
    node --eval "fs.renameSync('a','b')"    => +b/** -a/**
    node -e "const f='a'; fs.appendFileSync(f,'')" => +a
    node -e 'fs.writeFileSync(`a`,1)'       => +a
    node -e "fs.writeFileSync('a'+'.b',1)"  => +a.b
    node -e "fs.openSync('a','w')"          => +a
    node -e "fs.openSync('a','r')"          =>
    node -e "fs.openSync('a')"              =>
    node -e "fs.rmSync('a',{recursive:true})" => -a/**
    node -e "require('child_process').execSync('rm a')" => -a
    node -e "require('child_process').spawnSync('rm',['-f','a'])" => -a
    node -e "eval('fs.rmSync(\\\\'a\\\\')')" => -a/**
    node -e "/a/.exec('rm b'); l.remove(1)" =>
    node -e "var open = 1; x.open"          =>
    node <<'E'⏎fs.writeFileSync('a','')⏎E   => +a
    deno eval 'Deno.writeTextFileSync("a","")' => +a
    echo 'fs.rmSync("a")' | deno run -      => -a/**
    deno fmt                                =>
    perl -pi -e s/a/b/ f                    => +f
    perl -i.bak -ne print f                 => +f
    perl -e 'open(F,">a"); unlink "b"'      => +a -b
    perl -e 'open(my $f, ">>", "a")'        => +a
    perl -e 'open F, "<a"; open F, "| rm b"' => -b
    perl -e 'system("rm","a"); `rm b`; qx{rm c}' => -a -b -c
    ruby -i -pe 'x' f                       => +f
    ruby -e 'File.write("a","x")'           => +a
    ruby -e 'system "rm a"'                 => -a
    ruby -e 'FileUtils.rm_rf(["a"]); File.open("b","w")' => +b
    php -r 'file_put_contents("a","x");'    => +a
    php -r 'unlink("a"); $m = fopen("b","w");' => -a +b
    lua -e 'os.remove("a")'                 => -a
    osascript -e 'do shell script "rm a"'   => -a
    perl x.pl                               =>
    echo 'unlink "a"' | perl                => -a
    node -e "fs.rmSync('a', 'unclosed"      => -a/**
    perl -e 'print "a > b"'                 =>
""")

EXPANSIONS = rows(r"""
    F=a; echo > $F                          => +a
    F=a; echo > "${F}.b"                    => +a.b
    F=d; echo > $F/a                        => +d/a
    F=a; G=$F; rm $G                        => -a
    F=.e; F+=nv; rm $F                      => -.env
    F=(a b); rm "${F[@]}"                   => -a -b
    F=(a b); rm ${F[0]}                     => -a
    F=(a); F+=(b); rm "${F[@]}"             => -a -b
    F=; echo > ${F:-a}                      => +a
    F=a; echo > ${F:-b}                     => +a
    F=a; echo > ${F:+b}                     => +b
    F=a; echo > ${F:?no}                    => +a
    F='a b'; rm $F                          => -a -b
    F=a; readonly F; rm $F                  => -a
    export F=a; rm $F                       => -a
    declare -x F=a; rm $F                   => -a
    set -- a b; rm "$1"                     => -a
    set -- a b; rm "$@"                     => -a -b
    set -- a b; shift; rm "$@"              => -b
    read F <<< a; rm $F                     => -a
    read F G <<< 'a b c'; rm $G             => -b -c
    echo a | while read f; do rm $f; done   => -a
    while read f; do rm $f; done <<< 'a⏎b'  => -a -b
    F=a bash -c 'rm $F'                     => -a
    env F=a sh -c 'rm $F'                   => -a
    X=rm; $X a                              => -a
    rm {a,b}.c                              => -a.c -b.c
    rm {1..3}                               => -1 -2 -3
    rm {c..a}                               => -a -b -c
    rm {1..9..4}                            => -1 -5 -9
    rm x{a,{b,c}}                           => -xa -xb -xc
    rm .e{n,}v                              => -.env -.ev
    rm '{a,b}' {x}                          => -{a,b} -{x}
    rm {1..b}                               => -{1..b}
    tee .{env,git}                          => +.env +.git
    rm ~/a                                  => -~/a
    rm $HOME/a                              => -~/a
    rm "$HOME/a"                            => -~/a
    rm "~/a"                                => -~/a
    rm $PWD/a                               => -a
    rm $(pwd)/a                             => -a
    rm $TMPDIR/a                            => -/tmp/a
    rm '.e'"nv"                             => -.env
    rm .e\nv                                => -.env
    rm $'\x2eenv'                           => -.env
    rm $'\056env'                           => -.env
    rm $'.\u0065nv'                         => -.env
    rm $'.env\0x'                           => -.env
    rm $'\U0000002eenv'                     => -.env
    rm $"a"                                 => -a
    rm $(echo a)                            => -a
    rm `echo a`                             => -a
    rm $(printf %s a)                       => -a
    rm $(printf '%s.%s' a b)                => -a.b
    rm $(basename /x/a.c .c)                => -a
    rm $(dirname d/a)                       => -d
    rm $(cat <<< a)                         => -a
    rm $(echo -e 'a\x62')                   => -ab
    T=$(mktemp); echo > $T                  => +/tmp/tmp.XXXXXXXXXX
    echo a\⏎b > c                           => +c
    rm a \⏎ b                               => -a -b
    f() { rm a; }; f                        => -a
    f() { rm "$1"; }; f a                   => -a
    function f { rm a; }; f                 => -a
    function f() { rm a; }; f               => -a
    f() { rm a; }                           => -a
    f() { f; rm a; }; f                     => -a
    f() { f() { f() { rm a; }; f; }; f; }; f => -a
    { a | b | cd d && cd e && rm a; }       => -e/a
    { a | b && cd d; } && rm a              => -d/a
    f() ( rm a ); f                         => -a
    f()⏎{ rm a⏎}⏎f                          => -a
    for f in a b; do rm $f; done            => -a -b
    for f in {a,b}; do rm $f; done          => -a -b
    for f; do rm $f; done                   => -$f
    set -- a; for f do rm $f; done          => -a
    for ((i=0;i<2;i++)); do rm a; done      => -a
    for ((;;)) do rm a; done                => -a
    select x in a; do rm $x; done           => -a
    for x in; do rm a; done                 => -a
    while x; do rm a; done                  => -a
    until x; do rm a; done                  => -a
    if x; then rm a; elif y; then rm b; else rm c; fi => -a -b -c
    case $x in a|b) rm a;; (c) rm b;& *) rm c;; esac => -a -b -c
    case x⏎in x) rm a⏎esac                  => -a
    (rm a)                                  => -a
    { rm a; }                               => -a
    ! rm a                                  => -a
    ! { rm a; } | b                         => -a
    { ! { ! { rm a; }; } && { rm b; }; }    => -a -b
    if ! { rm a; }; then ! (rm b); fi       => -a -b
    rm a &                                  => -a
    rm a & rm b                             => -a -b
    { rm a & }                              => -a
    a && rm b || rm c                       => -b -c
    a |& rm b                               => -b
    a |⏎ rm b &&⏎ rm c                      => -b -c
    case x in <a) rm b;; esac               => -b
    if a; then if b; then rm c; fi fi       => -c
    echo $(rm a)                            => -a
    echo "`rm a`"                           => -a
    echo "$(echo "$(rm a)")"                => -a
    echo ${x:-$(rm a)}                      => -a
    echo "${x:-`rm a`}" ${y:='z'$(rm b)}    => -a -b
    x=$(rm a)                               => -a
    x=($(rm a))                             => -a
    [[ $(rm a) ]]                           => -a
    [[ a =~ (b|c) && ( d < e ) ]]; rm a     => -a
    (( $(rm a) ))                           => -a
    echo $(( $(rm a) ))                     => -a
    echo $((1<<E))⏎rm a⏎E                   => -a
    (( 1 << E ))⏎rm a⏎E                     => -a
    ((rm a); rm b)                          => -a -b
    echo $((rm a); rm b)                    => -a -b
    case $(rm a) in $(rm b)) ;; esac        => -a -b
    for x in $(rm a); do :; done            => -a
    cat < <(rm a) > >(tee b)                => -a +b
    diff <(rm a) <(rm b)                    => -a -b
    cat <<E⏎$(rm a) `rm b` ${x:-$(rm c)}⏎E  => -a -b -c
    cat <<'E'⏎$(rm a)⏎E                     =>
    cat <<\E⏎$(rm a)⏎E                      =>
    cat <<E⏎x\⏎E⏎: <<'X'⏎E⏎rm a⏎X          => -a
    cat <<E⏎x\\⏎E⏎rm a                      => -a
    cat <<''⏎x⏎⏎rm a                        => -a
    echo "$(cat <<'E'⏎it's ) "⏎E⏎)"; rm a   => -a
    echo "$(case x in x) echo y;; esac)"; rm a => -a
    a[$(rm b)]=1                            => -b
    echo 'x' # rm a⏎rm b                    => -b
    echo x#y > a                            => +a
    true || rm a                            => -a
    exit 0; rm a                            => -a
    cd d || exit 1; rm a                    => -d/a
    ln -sT a b; echo > b                    => +a +b
    ln -sT . b; echo > b/a                  => +a +b +b/a
    ln -sT /x b; echo > b/a                 => +b +b/a +/x/a
""")

DIRECTORIES = rows("""
    cd d && rm a                            => -d/a
    cd d && cd e && rm a                    => -d/e/a
    cd d && cd .. && rm a                   => -a
    cd /x && rm a                           => -/x/a
    cd /tmp; rm a                           => -/tmp/a
    cd; rm a                                => -~/a
    cd ~; rm a                              => -~/a
    cd d; rm a                              => -d/a -a
    cd d || rm a                            => -a
    cd d && cd - && rm a                    => -a
    (cd d && rm a); rm b                    => -d/a -b
    $(cd d && rm a); rm b                   => -d/a -b
    cd d | rm a                             => -a
    cd d & rm a                             => -a
    { cd d && rm a; } && rm b               => -d/a -d/b
    f() { cd d; }; f && rm a                => -d/a
    pushd d && rm a && popd && rm b         => -d/a -b
    pushd d; pushd; rm a                    => -d/a -a
    popd; rm a                              => -a
    if cd d; then rm a; else rm b; fi       => -d/a -b
    while cd d; do rm a; done               => -d/a -d/d/a -d/d/d/a -d/d/d/d/a -d/d/d/d/d/a
    for d in x y; do (cd $d && rm a); done  => -x/a -y/a
    eval 'cd d' && rm a                     => -d/a -a
    command cd d && rm a                    => -d/a -a
    cd -P -- d && rm a                      => -d/a
    ! cd d && rm a                          => -a
    { ! { cd d; } && rm a; }                => -a
    { ! ! cd d && rm a; }                   => -d/a
""")

TABLES = {
    "redirections": REDIRECTIONS,
    "programs": PROGRAMS,
    "awk": AWK,
    "git": GIT,
    "runners": RUNNERS,
    "code": CODE,
    "expansions": EXPANSIONS,
    "directories": DIRECTORIES,
}


@pytest.mark.parametrize(
    ("command", "answer"),
    [pytest.param(*row, id=row[0]) for table in TABLES.values() for row in table],
)
def test_a_command_tells_the_files_it_would_change(command: str, answer: set[str]) -> None:
    assert told(writes(command)) == answer


def test_a_quoted_value_stays_one_name_and_a_c_quoted_one_keeps_its_odd_characters() -> None:
    assert told(writes("F='a b'; rm \"$F\"")) == {"-a b"}
    assert told(writes(r"rm $'a\tb\q\cAc'")) == {"-a\tb\\q\x01c"}
    assert told(writes(r"rm $'\xc3\xa9\udead\'\"'")) == {"-é?'\""}
    assert told(writes("rm 'no-escape' $'plain'")) == {"-no-escape", "-plain"}


CONDITIONAL = rows("""
    cp a b                                  => +b/a
    cp -r x/a b                             => +b/a/**
    mv a b                                  => +b/a/**
    ln -s x/a b                             => +b/a
    install a b                             => +b/a
    scp h:a b                               => +b/a
    rsync a b                               => +b/a/**
    cp -T a b                               =>
    python3 -c "import shutil; shutil.copy('a','b')" => +b/a
""")


@pytest.mark.parametrize(("command", "answer"), [pytest.param(*r, id=r[0]) for r in CONDITIONAL])
def test_what_only_a_directory_would_receive_is_marked_with_it(
    command: str, answer: set[str]
) -> None:
    effect = writes(command)
    assert told(effect, conditional=True) == answer
    assert {target.within for target in effect.targets if target.within} <= {"b"}


RUNS = "only known when it runs"

# The text does not say what would be written: a word of the reason.
CANNOT_TELL = [
    # names that a pattern, a variable or another command decides
    ("rm *.py", "matches"),
    ("echo > *.env", "matches"),
    ("rm .e[n]v", "matches"),
    ("rm @(a|b)", "matches"),
    ("split big part", "matches"),
    ("split big", "matches"),
    ("csplit -f p f /x/", "matches"),
    ("echo x > $F", RUNS),
    ("echo x > $DIR/.env", RUNS),
    ("echo x > ${F:-a}", RUNS),
    ("echo x > ${F:+a}", RUNS),
    ("rm ${F%c}", RUNS),
    ("F=x; rm ${!F}", RUNS),
    ("rm ${F[1]} ${}", RUNS),
    ("F[1]=a; rm ${F[1]}", RUNS),
    ("F+=a; rm $F", RUNS),
    ("IFS=,; F=a,b; rm $F", RUNS),
    ('printf -v F "$X"; rm $F', RUNS),
    ("mapfile F < x; rm $F", RUNS),
    ("getopts ab F; rm $F", RUNS),
    ("read F < x; rm $F", RUNS),
    ("let F=1; rm $F", RUNS),
    ("rm x$HOME", RUNS),
    ("echo > $(date).log", RUNS),
    ("rm $(git ls-files)", RUNS),
    ("rm $(echo a | cut -c1)", RUNS),
    ("rm $(echo a; echo b)", RUNS),
    ("rm $(printf %x 1) $(printf -v x y) $(printf)", RUNS),
    ("rm $(basename -a x) $(dirname a b) $(mktemp -p d) $(cat x)", RUNS),
    ("rm f$((1+1)) g$[2]", RUNS),
    ("rm " + "{a,b}" * 9, RUNS),
    ("rm {1..1000}", RUNS),
    ("rm " + "{x" * 40, RUNS),
    ("for f in *; do rm $f; done", RUNS),
    ("while read f; do rm $f; done < list", RUNS),
    # places and streams
    ("cd $D && rm a", "directory"),
    ("cd - && rm a", "directory"),
    ("rm -rf .", "everything below"),
    ("rm -rf ..", "everything below"),
    ("chmod -R 777 /", "everything below"),
    ("cp -r x/. .", "everything below"),
    ("echo x >&$fd", "leads"),
    ("echo x > /dev/fd/3", "opened before"),
    ("echo x > /dev/stdin < a", "opened before"),
    # programs that something else decides
    ("$CMD a", "which program"),
    ("$(echo rm) a", "which program"),
    ("${X:-rm} a", "which program"),
    ("r? a", "which program"),
    ("f@() { x; }", "which program"),
    ("eval $X", RUNS),
    ('bash -c "$X"', RUNS),
    ('bash -c "rm $X"', RUNS),
    ("bash <<E\nrm $X\nE", RUNS),
    ("bash $X", "which script"),
    ("curl http://h | sh", "pipe"),
    ("base64 -d x | bash", "pipe"),
    ("cat x | python3", "pipe"),
    ("cat x | node", "pipe"),
    ("x | source /dev/stdin", "pipe"),
    ("bash <(curl h)", "run as a script"),
    (". <(curl h)", "run as a script"),
    ("ls | xargs rm", RUNS),
    ("xargs -a list rm", RUNS),
    ("parallel rm :::: list", RUNS),
    ("parallel rm < list", RUNS),
    ("find . -name '*.py' -delete", RUNS),
    ("find . -name .env -exec rm {} +", RUNS),
    ("find . -path './.git/*' -delete", RUNS),
    ("find . ! -name a -delete", RUNS),
    ("let 'a[$(rm b)]'", "run as a command"),
    ("echo ${x@P}", "run as a command"),
    ("[[ -v 'a[$(rm b)]' ]]", "run as a command"),
    ("printf -v 'a[$(rm b)]' x", "run as a command"),
    ('sed "s/a/b/;w $F" x', "part of a `sed` script"),
    ("chroot d rm a", "root directory"),
    ("pwsh -c 'rm a'", "not read here"),
    # scripts inside programs
    ("sed s/a/b/e f", "substitution"),
    ("sed e f", "runs its input"),
    ("sed '" + "p;" * 3000 + "'", "too long"),
    ("awk '{print > $1}'", "computes"),
    ("awk '{print > \"a\" $1}'", "computes"),
    ("awk '{system($0)}'", "computes a command"),
    ("awk '{print | $1}'", "computes a command"),
    ("awk '{print | \"sh\"}'", "pipe"),
    ("awk '" + "x;" * 3000 + "'", "too long"),
    ("vim -c ':!rm a'", "`vim` runs a command"),
    ("x | ed a", "from elsewhere"),
    ("sqlite3 a '.output b'", "`sqlite3` writes a file"),
    # what archives, servers and patches hold
    ("tar xf a.tar", "holds"),
    ("tar x", "holds"),
    ("tar cf a.tar --checkpoint-action=exec=x b", "`tar` runs another program"),
    ("unzip a.zip -d d", "holds"),
    ("7z x a.7z", "holds"),
    ("cpio -i", "holds"),
    ("curl -OJ http://h/x", "elsewhere"),
    ("wget -r http://h/", "finds"),
    ("patch -p1 < x.diff", "patch"),
    ("patch -i x.diff", "patch"),
    ("apply_patch", "patch"),
    ("apply_patch <<E\nno patch\nE", "cannot be read"),
    # what git takes from elsewhere; what is in the repository is told in `test_git_deeds`
    ("git apply", "patch"),
    ("git am", "patch"),
    ("git apply <(git diff)", "patch"),
    ("git restore --pathspec-from-file=x", "from a file"),
    ("git checkout $X", "only known when it runs"),
    ("git reset --hard $(cat x)", "only known when it runs"),
    ("git push origin $X", "only known when it runs"),
    ("git filter-branch x", "rewrites the history"),
    ("git filter-repo x", "rewrites the history"),
    ("git update-ref --stdin", "from its input"),
    ("git mergetool", "will change"),
    ("git init --template=/t", "hooks"),
    ("git clone --template=/t u", "hooks"),
    ("git clone -c core.hooksPath=x u", "starts a program"),
    ("git --exec-path=/t log", "programs are"),
    ("git --config-env=core.pager=X log", "from a variable"),
    ("git config --global core.hooksPath x", "all repositories"),
    ("git config --global credential.helper store", "all repositories"),
    ("GIT_INDEX_FILE=x git read-tree -u HEAD", "which repository"),
    ("GIT_CONFIG_GLOBAL=x git log", "from elsewhere"),
    ("GIT_EXEC_PATH=x git log", "from elsewhere"),
    (
        "GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.x GIT_CONFIG_VALUE_0='!rm a' git x",
        "starts a program",
    ),
    ("git $X", "subcommand"),
    ("git -c alias.x='!rm a' x", "starts a program"),
    # code that computes
    ("python3 -c 'open(f, \"w\")'", RUNS),
    ("python3 -c 'open(\"a\", m)'", RUNS),
    ("python3 -c 'x.write_text(1)'", RUNS),
    ("python3 -c 'import os; os.open(\"a\", x)'", RUNS),
    ("python3 -c 'for f in x: open(f,\"w\")'", RUNS),
    ("python3 -c 'for f in a: f.replace(1,2)\nopen(f(1),\"w\")'", RUNS),
    ('python3 -c \'open(chr(x),"w"); open(a[0],"w")\'', RUNS),
    ("python3 -c 'import os; os.remove(x)'", RUNS),
    ("python3 -c 'import os; os.remove()'", RUNS),
    ("python3 -c 'import os; getattr(os, x)(1)'", "computes the name of a function"),
    ("python3 -c 'exec(x)'", "computed and then run"),
    ("python3 -c 'import os; os.system(x)'", RUNS),
    ("python3 -c 'import subprocess; subprocess.run(x)'", RUNS),
    ("python3 -c 'z.extractall()'", "unpacks"),
    ("python3 -c 'def f(a): open(a, \"w\")'", RUNS),
    ('python3 -c \'a=1; a+="x"; open(a,"w")\'', RUNS),
    ("python3 -c 'import sys; open(sys.argv[5],\"w\")'", RUNS),
    ("python3 -c 'def'", "cannot be read"),
    ("python3 -c '" + "x;" * 3000 + "'", "cannot be read"),
    ("python3 -c '\"'", "cannot be read"),
    ('python3 -c "$X"', RUNS),
    ("node -e 'fs.writeFileSync(f, 1)'", "computes the name"),
    ("node -e 'fs.openSync(f, \"w\")'", "computes the name"),
    ("node -e 'child_process.exec(c)'", "computes a command"),
    ("node -e 'eval(x)'", "computed and then run"),
    ("node -e 'require(x)'", "computes the name of a module"),
    ("node -e 'fs.rmSync(`${x}`)'", "computes the name"),
    ("node -e 'child_process.spawn(\"rm\", [x])'", RUNS),
    ("node -e '" + "x=1;" * 5000 + "'", "too long"),
    ("node -e 'fs;" + "rm(1);" * 100 + "'", "too many"),
    ("perl -e 'open(F, $x)'", "computes"),
    ("perl -e 'open(F, \">\", $x)'", "computes"),
    ("perl -e '`$x`'", "computes a command"),
    ("osascript -e 'do shell script x'", "computes a command"),
    # a program that waits for its program
    ("bash", "comes in by its input"),
    ("bash -i", "comes in by its input"),
    ("python3", "comes in by its input"),
    ("node", "comes in by its input"),
    # text that is no command
    ("for f in a; { rm $f; }", NOT_PARSED),
    ("echo 'x", NOT_PARSED),
    ('echo "x', NOT_PARSED),
    ("echo $'x", NOT_PARSED),
    ("echo `x", NOT_PARSED),
    ("echo $(x", NOT_PARSED),
    ("echo ${x", NOT_PARSED),
    ("x=(a", NOT_PARSED),
    ("[[ a", NOT_PARSED),
    ("echo )", NOT_PARSED),
    ("( a", NOT_PARSED),
    ("if a; then b", NOT_PARSED),
    ("fi", NOT_PARSED),
    ("if a; then b; fi fi", NOT_PARSED),
    ("done > x y", NOT_PARSED),
    ("for x y; do z; done", NOT_PARSED),
    ("for a b in c; do z; done", NOT_PARSED),
    ("cat <<E\nx", NOT_PARSED),
    ("cat <<E", NOT_PARSED),
    ("cat <<E\nx E\n E", NOT_PARSED),
    ("echo >", NOT_PARSED),
    ("{ " * 30 + "a;" + "};" * 30, NOT_PARSED),
]


@pytest.mark.parametrize(
    ("command", "word"), [pytest.param(*row, id=row[0][:60]) for row in CANNOT_TELL]
)
def test_what_the_text_does_not_tell_is_called_unclear(command: str, word: str) -> None:
    effect = writes(command)
    assert any(word in why for why in effect.unclear), effect.unclear


def test_what_is_unclear_still_names_the_part_that_is_known() -> None:
    # A rule on a name meets these although the directory, or the rest, is not known.
    for command, path, exact in (
        ("echo > $DIR/.env", "$DIR/.env", False),
        ("rm .en*", ".en*", False),
        ("find . -name .env -delete", "./.env", False),
        ("python3 -c \"open(d + '/.env', 'w')\"", "{}/.env", False),
    ):
        (target,) = writes(command).targets
        assert (target.path, target.exact) == (path, exact)


WRITES_NOTHING = r"""
    ls -la
    git status > /dev/null 2>&1
    cmd 2>&1
    cmd >&2
    cmd >&-
    cmd 3>&1 1>&2 2>&3 3>&-
    cmd <&3 < in
    cmd > /dev/null
    cmd > /dev/stdout 2> /dev/stderr
    cmd > /dev/tty
    cmd > /dev/fd/1 2> /dev/fd/2
    cmd > /dev/pts/0
    cmd > /dev/tcp/127.0.0.1/80
    cmd | tee /dev/tty
    cmd | tee -
    grep '>' x
    echo "a > b"
    echo a \> b
    [[ a > b ]]
    [[ a < b || c > d ]]
    (( a > b ))
    echo $(( a > b ))
    [ -f x ] && echo y
    # echo > x
    echo x # > y
    echo '#' x
    cat <<E⏎> a⏎rm b⏎E
    printf -v x y; read a; mapfile b; let c=1; getopts a b; unset d
    set -euo pipefail
    x=1
    export PATH=$PATH:/x
    test $# -gt 0
    make install
    npm test && cargo build
    python x.py
    bash x.sh
    ./x
    "$DIR/bin/x" y
    for f in *.py; do python $f; done
    ssh host 'rm x > y'
    docker run x rm y
    cd d && ls
    pushd d; popd
    sleep 1 & wait
    trap - EXIT
    alias
    echo a | cat | sort | uniq
    find . -name x -print
    git commit -m "$(cat <<'E'⏎fix: it's > done⏎⏎rm .env⏎E⏎)"
    sed s/a/b/ f
    sed -n 's/a/b/p' f
    sed "s/$a/$b/" f
    printf '%s' '$(x)' "$(date)"
    f() { g; }; f
    case x in a) ;; esac
    select x in a b; do echo; done
    if true; then :; fi
    { ! { ! { x; } | y; }; } && ! z
    echo {a,b} *.py ~ $x
    ⏎⏎;
"""


@pytest.mark.parametrize("line", WRITES_NOTHING.strip().splitlines())
def test_everyday_commands_write_nothing_and_are_clear(line: str) -> None:
    effect = writes(line.strip().replace("⏎", "\n"), cwd="/home/me/project")
    assert effect.targets == ()
    assert effect.unclear == ()
    assert not effect.excessive


def test_an_empty_command_is_nothing() -> None:
    assert writes("") == ShellEffect()


# Every one of these deletes or writes `.env`.
DISGUISES = r"""
    rm .env
    r\m .env
    'rm' .env
    r''m .env
    "r"m .env
    \rm .env
    $'rm' .env
    $'\x72\x6d' .env
    /bin/rm .env
    /usr/bin/../bin/rm .env
    =rm .env
    $DIR/rm .env
    command rm .env
    X=rm; $X .env
    A=r; B=m; $A$B .env
    rm .e''nv
    rm ".env"
    rm ./.env
    rm x/../.env
    rm .{env,x}
    rm .en{v,}
    F=env; rm .$F
    F=.env; rm "${F}"
    rm $(echo .env)
    rm "$(printf '%s' .env)"
    rm `echo .env`
    echo .env | xargs rm
    echo .env | xargs -I% sh -c 'rm %'
    xargs rm <<< .env
    bash -c 'bash -c "bash -c \"rm .env\""'
    sh -c "$(printf 'rm %s' .env)"
    eval "r""m .env"
    eval $(echo rm .env)
    cat <<< 'rm .env' | sh
    bash <<'E'⏎rm .env⏎E
    python3 -c "import os; os.system('r' + 'm .env')"
    f() { "$@"; }; f rm .env
    f() { g; }; g() { rm .env; }; f
    f() rm .env; f
    while true; do rm .env; break; done
    for x in .env; do rm $x; done
    case 1 in 1) rm .env;; esac
    [[ 1 ]] && rm .env
    ((1)) && rm .env
    : $(rm .env)
    : ${x:=$(rm .env)}
    : <(rm .env)
    true; true; true; rm .env
    true⏎rm .env
    true &rm .env
    true|rm .env
    ( ( (rm .env) ) )
    { { { rm .env; }; }; }
    echo x >.env
    echo x 1>.env
    >.env
    :>.env
    exec 3<>.env
    dd of=.env
    tee .env </dev/null
    tee <<< x .env
    cp x .env
    cp .env.example .env
    mv x .env
    ln -sf x .env
    ln -s .env l && echo > l
    ln .env l && echo > l
    install x .env
    cd d/.. && rm .env
    cd . && rm .env
    env -i rm .env
    nohup nice timeout 5 rm .env
    stdbuf -o0 rm .env
    find . -maxdepth 0 -exec rm .env \;
    git mv .env x
    perl -e 'unlink(".env")'
    perl -pi -e '' .env
    awk 'BEGIN{printf "" > ".env"}'
    awk 'BEGIN{system("rm .env")}'
    sed -i d .env
    sed -n 'w .env' x
    sort -o .env x
    truncate -s0 .env
    node -e "require('fs').unlinkSync('.env')"
    ruby -e 'File.delete(".env")'
    php -r "unlink('.env');"
    curl -o .env http://h
    wget -O .env http://h
    vim -es +'w! .env' +q
    ed .env <<< w
    flock l rm .env
    script -c 'rm .env' l
    coproc rm .env
    trap 'rm .env' EXIT
    alias x='rm .env'; x
    a=(rm .env); "${a[@]}"
    set rm .env; "$@"
    printf 'rm .env' > x && sh x
    echo $((1<<E))⏎rm .env⏎E
    cat <<E⏎x\⏎E⏎: <<'X'⏎E⏎rm .env⏎X
    echo '<<E'⏎rm .env⏎E
    cat <<'$(x)'⏎y⏎$(x)⏎rm .env
    echo "${x:-"y"}" ; rm .env
    echo "${x#'}"; rm .env; echo '}'
    echo "\""; rm .env
    echo '\'; rm .env
    echo $'\''; rm .env
    echo \#; rm .env
    echo x#; rm .env
    [ "(" = x ]; rm .env
    echo '('; rm .env
    case x in "(") ;; esac; rm .env
    echo if; rm .env
    echo {; rm .env
    echo case in; rm .env
    if=1; rm .env
    if=1 then=2 rm .env
    echo [[; rm .env; echo ]]
    A=b [[ x ; rm .env
    rm .env # [[
    GIT_EDITOR='rm .env' git commit --amend
    >l rm .env
    rm .env>l
    2>&1 rm .env
    rm<l .env
    rm -f -- .env
    rm --recursive .env
    rm .env \⏎
    r\⏎m .env
"""


@pytest.mark.parametrize("line", DISGUISES.strip().splitlines())
def test_a_disguised_command_is_seen_through(line: str) -> None:
    effect = writes(line.strip().replace("⏎", "\n"))
    named = {posixpath.normpath(posixpath.join(t.base, t.path)) for t in effect.targets}
    assert ".env" in named, effect


def test_leaves_are_the_simple_commands_nested_ones_included() -> None:
    effect = writes("A=1 npm i > log && $(ls x) | (bash -c 'rm a; rm b') & f() { rm c; }; f")
    assert effect.leaves == (
        "A=1 npm i > log",
        "$(ls x)",
        "ls x",
        "bash -c 'rm a; rm b'",
        "rm a",
        "rm b",
        "f",
        "rm c",
    )


def test_a_target_says_who_writes_it_and_from_where() -> None:
    (target,) = writes("cd src && echo x >> a.log", cwd="/home/me/project").targets
    assert (target.path, target.base, target.by) == ("a.log", "/home/me/project/src", ">>")
    assert target.action is Action.WRITE
    assert writes("sudo /bin/rm x").targets[0].by == "rm"
    assert writes("python3 -c \"open('a','w')\"").targets[0].by == "python3"


# Texts that are too much. Sizes only: how long they take is for the benchmark.
BIG = 200_000
HOSTILE = {
    "brackets": "(" * BIG,
    "balanced brackets": "(" * 50_000 + "x" + ")" * 50_000,
    "substitutions": "$(" * (BIG // 2),
    "backquotes": "`" * BIG,
    "backslashed backquotes": "`" + "\\`" * (BIG // 2),
    "quotes": "'" * (BIG - 1),
    "double quotes": '"' * (BIG - 1),
    "redirections": "> a " * (BIG // 4),
    "pipes": "a|" * (BIG // 2),
    "arrays": "a=(" * (BIG // 3),
    "braces": "rm " + "{a,b}" * (BIG // 5),
    "open braces": "rm " + "{" * BIG,
    "here-documents": "cat <<E\nE\n" * (BIG // 10),
    "here-documents in a line": "cat " + "<<E " * (BIG // 4) + "\n",
    "false ends": "cat <<E\n" + "E \n" * (BIG // 3),
    "statements": "a;" * (BIG // 2),
    "newlines": "x\n" * (BIG // 2),
    "parameters": "${a:-" * (BIG // 5),
    "arithmetic": "$((" * (BIG // 3),
    "tests": "[[ " * (BIG // 3),
    "ifs": "if " * (BIG // 3),
    "cases": "case a in " * (BIG // 10),
    "functions": "f(){ " * (BIG // 5),
    "function calls": "".join(f"f{n}(){{ f{n + 1};f{n + 1}; }};" for n in range(30)) + "f0",
    "deep functions": "".join(f"f{n}(){{ {'( ' * 20}f{n + 1};{')' * 20} }};" for n in range(10))
    + "f0",
    "loops": "for i in {1..99}; do " * 8 + "echo > $i;" + "done;" * 8,
    "assignments": ";".join(f"v{n}=x" for n in range(20_000)),
    "doubling": "a=aaaaaaaa;" + "a=$a$a;" * 200 + "echo $a;" * 2_000,
    "splitting": "a='" + "b " * 3_000 + "';" + "rm $a;" * 2_000,
    "directories": "cd a||cd b;" * (BIG // 11),
    "targets": ";".join(f"echo>f{n}" for n in range(20_000)),
    "arguments": "rm " + " ".join(map(str, range(30_000))),
    "wrappers": "sudo " * (BIG // 5),
    "evals": "eval " * (BIG // 5),
    "xargs": "echo " + "a " * 5_000 + "| xargs -I{} rm " + "{}" * 2_000,
    "python": ";".join("python3 -c '" + "a;" * 1_000 + "'" for _ in range(50)),
    "python names": "python3 -c '" + "a=a+a;" * 400 + 'open(a,"w");' * 20 + "'",
    "node": ";".join("node -e 'fs;" + "rm(a,b);" * 900 + "'" for _ in range(20)),
    "links": ";".join(f"ln -s a b{n}" for n in range(5_000)),
    "NULs": "\0" * BIG,
    "surrogates": "\ud800" * BIG,
    "symbols": " \n;|&<>(){}$`'\"\\#=if do" * (BIG // 27),
    "beyond the limit": "rm a;" * (MOST_TEXT // 4),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_gets_an_answer_that_says_it_is_too_much(name: str) -> None:
    effect = writes(HOSTILE[name], cwd="/home/me/project")
    assert effect.unclear
    assert len(effect.targets) <= 256
    assert len(effect.leaves) <= 256
    assert effect == writes(HOSTILE[name], cwd="/home/me/project")


def test_a_protected_name_is_still_met_in_a_text_that_is_not_read() -> None:
    for padding in ("a;" * 100_000, "x " * 200_000, "(" * 50_000):
        for command in ("rm .env", "echo x > .env", "dd of=.env", "tee .env"):
            effect = writes(padding + "\n" + command)
            assert effect.excessive
            assert TOO_LARGE in effect.unclear
            assert ".env" in {target.path for target in effect.targets}


def test_a_large_file_written_by_a_command_is_no_matter() -> None:
    body = "it's (a line with $everything `in` it {\n" * 5_000
    effect = writes(f"cat > a.txt <<'EOF'\n{body}EOF\nrm b")
    assert told(effect) == {"+a.txt", "-b"}
    assert effect.unclear == ()
    code = "open('a','w').write('''" + body.replace("'", "") + "''')"
    effect = writes(f"python3 - <<'EOF'\n{code}\nEOF")
    assert told(effect) == {"+a"}
    assert effect.unclear == ()


def test_an_honest_script_of_a_hundred_and_fifty_lines_is_read_to_its_end() -> None:
    lines = ["set -e", "cd src || exit 1"]
    for n in range(30):
        lines += [f"if [ -f f{n} ]; then", f"  echo 'x {n}' >> log", f"  cp f{n} g{n}", "else"]
        lines += [f"  touch f{n}", "fi"]
    effect = writes("\n".join(lines), cwd="/p")
    assert not effect.excessive
    assert "+/p/src/f29" in told(effect)


def test_a_patch_too_long_to_be_read_still_names_its_files() -> None:
    patch = "*** Begin Patch\n*** Add File: .env\n" + "+x\n" * 50_000 + "*** Delete File: b\n"
    effect = writes(f"apply_patch <<'E'\n{patch}E")
    assert {target.path for target in effect.targets} == {".env", "b"}
    assert any("too long" in why for why in effect.unclear)


def test_a_long_script_stops_telling_variables_apart_and_not_directories() -> None:
    lines = [f"if x; then F=a{n}; fi; [ y ] && G=b" for n in range(30)]
    effect = writes("\n".join([*lines, "cd d; rm $F; rm c; rm $H"]))
    assert not effect.excessive
    assert {"-d/c", "-c"} <= told(effect)
    assert any("`$F`" in why for why in effect.unclear)


def test_more_variables_than_are_kept_become_unknown() -> None:
    many = " ".join(f"v{n}=x{n}" for n in range(300))
    effect = writes(f"declare {many}; rm $v1 $v299")
    assert "-x1" in told(effect)
    assert any("`$v299`" in why for why in effect.unclear)


def test_a_name_too_long_for_any_file_is_passed_on_as_it_is() -> None:
    name = "x/../" * 4_000
    assert writes(f"rm {name}").targets[0].path == name
    assert writes(f"cd {name} && rm -r a").targets[0].base == name


def test_a_long_substitution_is_followed_but_not_worked_out() -> None:
    effect = writes("rm $(" + "echo a; " * 40 + "rm b)")
    assert "-b" in told(effect)
    assert effect.unclear


def test_characters_that_no_shell_accepts_are_told() -> None:
    for command in ("rm a\0b", "rm \ud800"):
        effect = writes(command)
        assert effect.excessive
        assert effect.unclear
    assert not writes("rm é").excessive


@given(st.text(max_size=400))
@settings(max_examples=200, deadline=None)
def test_any_text_gets_an_answer(text: str) -> None:
    assert isinstance(writes(text), ShellEffect)


WORDS = """
    if then fi for in do done while until case esac select function coproc time
    { } ( ) [[ ]] (( )) ; ;; && || | |& & ! f() a b=c b=( $x ${x $( $(( ` " ' $'
    > >> < << <<- <<< <<E E >( <( 2>&1 &> # \\ * ~ {a,b} {1..3} rm cd eval sh -c @(
"""
SHELL_WORDS = st.sampled_from([*WORDS.split(), "\n"])


@given(st.lists(SHELL_WORDS, max_size=60), st.booleans())
@settings(max_examples=400, deadline=None)
def test_any_jumble_of_shell_gets_the_same_answer_twice(words: list[str], tight: bool) -> None:
    text = ("" if tight else " ").join(words)
    assert writes(text) == writes(text)


# What bash does is what we told

NAMES = st.sampled_from(["a", "b", "c", "d/a", "d/e/b", ".env"])
SIMPLE = st.one_of(
    st.builds("echo x > {}".format, NAMES),
    st.builds("echo x >> {}".format, NAMES),
    st.builds("rm -f {}".format, NAMES),
    st.builds("cp {} {}".format, NAMES, NAMES),
    st.builds("mv {} {}".format, NAMES, NAMES),
    st.builds("ln -sf {} {}".format, NAMES, NAMES),
    st.builds("touch {{{},{}}}".format, NAMES, NAMES),
    st.builds("tee {} > /dev/null < /dev/null".format, NAMES),
    st.builds("sed -i s/x/y/ {}".format, NAMES),
    st.builds("F={}".format, NAMES),
    st.just('rm -f "$F"'),
    st.just("echo y > ${F:-z}"),
    st.builds("cd {}".format, st.sampled_from(["d", "d/e", "..", ".", "nowhere", "-"])),
    st.builds("cat > {} <<'E'\nrm c\nE\n".format, NAMES),
    st.builds("sh -c 'rm -f {}'".format, NAMES),
    st.builds("echo {} | xargs rm -f".format, NAMES),
    st.builds("f() {{ rm -f {}; }}".format, NAMES),
    st.just("f"),
    st.just("true"),
    st.just("false"),
    st.builds("[ -e {} ]".format, NAMES),
)


def _grow(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.one_of(
        st.builds("{}\n{}".format, inner, inner),
        st.builds("{{ {}\n}} && {{ {}\n}}".format, inner, inner),
        st.builds("{{ {}\n}} || {{ {}\n}}".format, inner, inner),
        st.builds("( {}\n)".format, inner),
        st.builds("if {}\nthen {}\nelse {}\nfi".format, inner, inner, inner),
        st.builds("for F in {} {}; do {}\ndone".format, NAMES, NAMES, inner),
        st.builds("case x in x) {}\n;; *) {}\n;; esac".format, inner, inner),
        st.builds("{{ {}\n}} | cat".format, inner),
        st.builds("! {{ {}\n}}".format, inner),
        st.builds("echo $( {}\n) > /dev/null".format, inner),
    )


SCRIPTS = st.recursive(SIMPLE, _grow, max_leaves=8)


def _snapshot(root: Path) -> dict[str, tuple[str, int]]:
    found = {}
    for where, folders, files in os.walk(root):
        for name in (*folders, *files):
            path = Path(where, name)
            text = os.readlink(path) if path.is_symlink() else ""
            if path.is_file() and not path.is_symlink():
                text += path.read_text()
            # The time of change tells a file that was written with the same content.
            stamp = path.lstat().st_ctime_ns if path.is_symlink() or path.is_file() else 0
            found[str(path.relative_to(root))] = (text, stamp)
    return found


def _prepare(root: Path) -> None:
    (root / "d" / "e").mkdir(parents=True)
    for name in ("a", "b", "d/a", ".env"):
        (root / name).write_text("x\n")


def _covers(effect: ShellEffect, root: Path, path: str) -> bool:
    """True when a changed path was told, by itself or by a tree above it."""
    for target in effect.targets:
        joined = posixpath.normpath(posixpath.join(str(root), target.base, target.path))
        for spelling in (joined, os.path.realpath(joined)):
            relative = os.path.relpath(spelling, root)
            if path == relative or (target.tree and path.startswith(relative + "/")):
                return True
    return False


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@given(script=SCRIPTS)
@settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_what_bash_changes_was_told(tmp_path: Path, script: str) -> None:
    root = tmp_path / "work"
    shutil.rmtree(root, ignore_errors=True)
    _prepare(root)
    before = _snapshot(root)
    effect = writes(script, cwd=str(root))
    subprocess.run(
        ["bash", "-c", script],
        cwd=root,
        env={"PATH": os.environ["PATH"], "HOME": str(root)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=10,
        check=False,
    )
    after = _snapshot(root)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    untold = {path for path in changed if not _covers(effect, root, path)}
    assert not untold or effect.unclear, (script, untold, effect.targets)
