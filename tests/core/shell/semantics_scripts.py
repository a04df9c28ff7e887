"""Random bash scripts that hand names from variable to variable and then write to them.

Each script sets `T` in some way, sets it again where that may or may not count (a subshell, a
function's local variable, a branch that is not taken), and changes the file that it names.
Always true: the same number makes the same script.
"""

from __future__ import annotations

import random

NAMES = (".env", "a", "b", "d/a")

SETS = r"""
T={n}
T='{n}'
T=$(echo {n})
T=`echo {n}`
T=$(printf %s {n})
T=$(printf '%b' '{n}')
T="$(cat <<< {n})"
printf -v T {n}
printf -v T '%s' {n}
read T <<< {n}
read -r x T <<< 'q {n}'
IFS=: read -r x T <<< q:{n}
read -ra A <<< '{n} {m}'; T=${A[0]}
read T < name
mapfile -t A <<< {n}; T=$A
A=({m} {n}); T=${A[1]}
A=({n} {m}); T=$A
A=({n} {m}); T=${A[-2]}
A=({m}); A+=({n}); T=${A[1]}
A=({m} {n}); i=0; ((i++)); T=${A[i]}
A=({m} {n}); T=${A[@]:1:1}
A=({m} {n}); T=${A[*]: -1}
A[2]={n}; T=${A[2]}
A=({m} {n}); unset 'A[0]'; T=${A[*]}
declare -A M; M[k]={n}; T=${M[k]}
declare T={n}
declare -x T={n}
declare -g T={n}
export T={n}
typeset T={n}
U=T; declare "$U={n}"
U=T; printf -v "$U" {n}
U=T; eval "$U={n}"
U={n}; V=U; T=${!V}
unset r; declare -n r=T; r={n}; unset -n r
f() { local -n o=$1; o={n}; }; f T
f() { T={n}; }; f
f() { printf -v "$1" {n}; }; f T
f() { T=$1; }; f {n}
f() { T=$2; return; T={m}; }; f {m} {n}
f() { local T={m}; declare -g T={n}; }; f
f() { [ "$1" = q ] && return; T={n}; }; f p
f() { echo {n}; }; T=$(f)
set -- {n} {m}; T=$1
set -- {m} {n}; shift; T=$1
set -- {m} {n}; T=${@:2}
set -- {n}; T=$*
set -- -x {n}; OPTIND=1; getopts x: o; T=$OPTARG
for T in {m} {n}; do :; done
for T in {n} {m}; do break; done
for T in {n} {m}; do [ "$T" = {n} ] && break; done
while read -r T; do break; done <<< {n}
T={m}; while :; do T={n}; break; T={m}; done
T={n}; until true; do T={m}; done
case x in x) T={n};; *) T={m};; esac
case x in y) T={m};; x) T={n};& z) : ;; esac
if true; then T={n}; else T={m}; fi
if false; then T={m}; elif true; then T={n}; fi
true && T={n}
false || T={n}
{ T={n}; }
eval T={n}
eval 'T={n}'
source /dev/stdin <<< T={n}
. <(echo T={n})
echo T={n} > s; . ./s
unset T; : "${T:={n}}"
T=; : "${T:={n}}"
T={m}; unset T; T=${T:-{n}}
T={m}; T=${T:+{n}}
T={n}.bak; T=${T%.bak}
T=x/{n}; T=${T#x/}
T={n}x; T=${T:0:-1}
T={n}; T=${T/#q/}
[[ x{n} =~ ^x(.*)$ ]]; T=${BASH_REMATCH[1]}
shopt -s lastpipe; echo {n} | read T
exec 4<<< {n}; read -u 4 T; exec 4<&-
select T in {n}; do break; done <<< 1 2> /dev/null
: {n}; T=$_
"""

DISTRACTS = r"""
(T={m})
T={m} true
T={m} & wait
T={m} | cat
echo {m} | read T
x=$(T={m}; echo y)
bash -c 'T={m}'
f() { local T={m}; }; f
f() { local T; T={m}; }; f
f() { declare T={m}; }; f
f() { typeset T; read T <<< {m}; }; f
f() ( T={m} ); f
g() { T={m}; }
false && T={m}
true || T={m}
while false; do T={m}; done
until true; do T={m}; done
for q in; do T={m}; done
if false; then T={m}; fi
case x in y) T={m};; esac
[ 1 = 2 ] && T={m}
[[ a == b ]] && T={m}
((0)) && T={m}
T={m} eval :
T={m} f2; f2() { :; }; T={m} f2
: "${T:={m}}"
: "${T+{m}}"
set -- {m}
trap - EXIT
cd d; cd ..
cd d && cd - > /dev/null
(cd d)
cd d; cd "$OLDPWD"
pushd d > /dev/null; popd > /dev/null
"""

USES = r"""
echo x > "$T"
echo x >> $T
rm -f "$T"
rm -f -- "${T}"
cp name "$T"
mv name "$T"
tee "$T" <<< x > /dev/null
truncate -s 0 "$T"
sed -i s/x/y/ "$T"
bash -c 'echo x > "$1"' _ "$T"
bash -c "echo x > $T"
export T; sh -c 'echo x > "$T"'
T=$T sh -c 'echo x > "$T"'
env T="$T" bash -c 'rm -f "$T"'
h() { echo x > "$1"; }; h "$T"
h() { echo x > "$T"; }; h
h() { local T=$1; echo x > "$T"; }; h "$T"
echo "$T" | xargs rm -f
xargs rm -f <<< "$T"
printf '%s\n' "$T" | while read -r q; do rm -f "$q"; done
for q in "$T"; do echo x > "$q"; done
for q in $T; do rm -f "$q"; done
eval "echo x > $T"
eval 'echo x > "$T"'
exec 5> "$T"; echo x >&5; exec 5>&-
x=("$T"); rm -f "${x[@]}"
x=(rm -f "$T"); "${x[@]}"
set -- "$T"; rm -f "$1"
trap 'echo x > "$T"' EXIT
trap "rm -f $T" EXIT
{ echo x; } > "$T"
while read -r l; do echo "$l"; done <<< x > "$T"
echo "rm -f $T" | sh
sh <<< "rm -f $T"
bash <<E
rm -f $T
E
echo "rm -f $T" > s; sh s
echo "rm -f $T" > s; . ./s
c="rm -f $T"; $c
c="rm -f $T"; eval "$c"
ln -s "$T" l; echo x > l; rm -f l
: > "$T"
[ -n "$T" ] && echo x > "$T"
[[ $T ]] && { echo x > "$T"; }
"""

WRAPS = (
    "{s}",
    "{s}",
    "{s}",
    "{{ {s}\n}}",
    "( {s}\n)",
    "w() {{ {s}\n}}; w",
    "w() {{ {s}\nreturn; }}; w",
    "w() ( {s}\n); w",
    "if true; then {s}\nfi",
    "for i in 1 2; do {s}\ndone",
    "for i in 1; do {s}\nbreak; done",
    "i=0; while [ $i -lt 2 ]; do {s}\ni=$((i+1)); done",
    "case x in x) {s}\n;; esac",
    "{{ {s}\n}} > /dev/null",
    "{{ {s}\n}} | cat",
    "true && {{ {s}\n}}",
    "! {{ {s}\n}}",
    "x=$( {s}\n)",
    "eval \"$(cat <<'EOS'\n{s}\nEOS\n)\"",
    "bash <<'EOS'\n{s}\nEOS",
)


def _lines(table: str) -> list[str]:
    """Return the rows of a table; a here-document belongs to the row that opens it."""
    text = table.strip().replace("\nrm -f $T\nE\n", "\x01")
    return [line.replace("\x01", "\nrm -f $T\nE\n") for line in text.split("\n") if line]


_SETS, _DISTRACTS, _USES = _lines(SETS), _lines(DISTRACTS), _lines(USES)


def script(seed: int) -> str:
    """Return the script that a number stands for."""
    chance = random.Random(seed)

    def row(table: list[str]) -> str:
        name, other = chance.sample(NAMES, 2)
        text = chance.choice(table).replace("{n}", name).replace("{m}", other)
        return chance.choice(WRAPS).format(s=text)

    parts = [row(_SETS)]
    for _ in range(chance.randint(0, 2)):
        parts.append(row(chance.choice((_DISTRACTS, _DISTRACTS, _SETS))))
    parts.append(row(_USES))
    if chance.random() < 0.3:
        parts.append(row(_SETS))
    return "\n".join(parts)
