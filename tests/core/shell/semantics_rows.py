"""Commands of bash that all change `.env`, each by another part of the language.

The name never stands where it is written: it comes out of a variable, an expansion, a
descriptor, a file that the shell reads, or a piece of text that the shell runs. `⏎` is a line
end. The directory has a file `a`, a directory `d`, and a file `name` that holds the text `.env`.
"""

from __future__ import annotations

ROWS = r"""
# What printf and echo print
echo x > "$(printf %b '\056env')"
echo x > "$(printf '%b' '.en\x76')"
echo x > "$(printf '\056env')"
echo x > "$(printf '%s%s' .e nv)"
echo x > "$(printf '%.4s' .envelope)"
echo x > "$(printf '%c%s' .x env)"
echo x > "$(printf '%4s' .env)"
echo x > "$(printf %q .env)"
echo x > "$(printf '%x' 0; printf '\b' >/dev/null)nv" ; echo x > .env
echo x > "$(echo -e '\x2eenv')"
echo x > "$(echo -e '.env\cignored')"
echo x > "$(echo -e '\0056env')"
echo x > "$(echo -n .env)"
printf -v T .env; echo x > "$T"
printf -v T '%s' .env; echo x > "$T"
printf -v T %b '\056env'; echo x > "$T"
printf -v 'T[1]' .env; echo x > "${T[1]}"
printf '%s\n' .env | while read -r f; do echo x > "$f"; done
printf '.env\0' | xargs -0 rm
printf %s .env | xargs -I{} sh -c 'echo x > {}'
printf '%b' 'echo x > \056env' | sh
printf '%b' 'echo x > \056env\n' > s; sh s
printf 'echo x > %s' .env > s; . ./s
echo 'x > .e''nv' | sed 's/^/echo /' | bash
# Local and dynamic scope
T=a; f() { local T=.env; g; }; g() { echo x > "$T"; }; f
T=.env; f() { local T=a; }; f; echo x > "$T"
T=.env; f() { local T; T=a; }; f; echo x > "$T"
T=.env; f() { typeset T=a; }; f; echo x > "$T"
T=.env; f() { declare T=a; }; f; echo x > "$T"
T=a; f() { declare -g T=.env; }; f; echo x > "$T"
T=a; f() { local T=b; declare -g T=.env; }; f; echo x > "$T"
T=a; f() { T=.env; }; f; echo x > "$T"
T=.env; ( T=a ); echo x > "$T"
T=.env; echo a | read T; echo x > "$T"
T=.env; { T=a; } | cat; echo x > "$T"
T=.env; T=a true; echo x > "$T"
T=.env; (T=a; exit 1) || echo x > "$T"
T=.env; f() { local T=a; return 1; }; f || echo x > "$T"
T=.env; x=$(T=a; echo y); echo x > "$T"
T=.env; f() ( T=a ); f; echo x > "$T"
T=.env; T=a & wait; echo x > "$T"
f() { echo x > "$1"; }; f .env
f() { set -- .env; }; set -- a; f; set -- .env; echo x > "$1"
set -- .env; f() { set -- a; }; f; echo x > "$1"
set -- .env; f() { shift; }; f b; echo x > "$1"
set -- .env; f() { :; }; f a; echo x > "$1"
f() { echo x > "$FUNCNAME"; }; eval '.env() { echo x > "$FUNCNAME"; }'; .env
T=.env; unset T; T=.env; echo x > "$T"

f() { local -n r=T; r=.env; }; f; echo x > "$T"
T=.env; for T in; do :; done; echo x > "$T"
T=.env; while false; do T=a; done; echo x > "$T"
T=.env; false && T=a; echo x > "$T"
T=.env; true || T=a; echo x > "$T"
T=.env; if false; then T=a; fi; echo x > "$T"
T=.env; case x in y) T=a;; esac; echo x > "$T"
T=.env; [[ a == b ]] && T=a; echo x > "$T"
T=.env; eval 'true || T=a'; echo x > "$T"
# Assignment by expansion
: "${T:=.env}"; echo x > "$T"
: ${T:=.env}; echo x > $T
: "${T=.env}"; echo x > "$T"
T=; : "${T:=.env}"; echo x > "$T"
echo x > "${T:=.env}"
echo "${T:=.env}"; echo x > "$T"
f() { : "${T:=.env}"; }; f; echo x > "$T"
: "${T:=$(echo .env)}"; echo x > "$T"
: "${T[2]:=.env}"; echo x > "${T[2]}"
[ -n "${T:=.env}" ] && echo x > "$T"
for i in "${T:=.env}"; do :; done; echo x > "$T"
case "${T:=.env}" in *) echo x > "$T";; esac
[[ "${T:=.env}" ]]; echo x > "$T"
x="${T:=.env}"; echo x > "$T"
T=a; echo x > "${T:+.env}"
T=a; echo x > "${T+.env}"
unset T; echo x > "${T-.env}"
T=; echo x > "${T:-.env}"
T=.env; echo x > "${T:-a}"
T=.env; echo x > "${T-a}"
T=.env; echo x > "${T:?none}"
T=.env; echo x > "${T=a}"
# Attributes
declare -n r=T; r=.env; echo x > "$T"
declare -n r=T; T=.env; echo x > "$r"
T=.env; declare -n r=T; echo x > "$r"
T=.env; typeset -n r=T; echo x > $r
declare -n r; r=T; T=.env; echo x > "$r"
declare -l T; T=.ENV; echo x > "$T"
declare -l T=.ENV; echo x > "$T"
declare -u U=.env; declare -l T=$U; echo x > "$T"
typeset -l T; T=.ENV; echo x > "$T"
declare -c T; T=.env; echo x > "$T"
declare -i n; n=1+1; A=(a b .env); echo x > "${A[n]}"
declare -i n=2; A=(a b .env); n+=0; echo x > "${A[$n]}"
declare T=.env; echo x > "$T"
declare -x T=.env; sh -c 'echo x > "$T"'
export T=.env; sh -c 'echo x > "$T"'
T=.env; export T; bash -c 'echo x > $T'
T=.env bash -c 'echo x > $T'
T=.env sh -c 'echo x > "${T}"'
env T=.env sh -c 'echo x > "$T"'
set -a; T=.env; sh -c 'echo x > "$T"'
declare -r T=.env; (T=a) 2>/dev/null; echo x > "$T"
readonly T=.env; f() { T=a; } ; (f) 2>/dev/null; echo x > "$T"
declare "T=.env"; echo x > "$T"
n=T; declare "$n=.env"; echo x > "$T"
n=T; declare $n=.env; echo x > "$T"
n=T; export "$n"=.env; echo x > "$T"
n=T; printf -v "$n" .env; echo x > "$T"
n=T; read "$n" <<< .env; echo x > "$T"
n=T; eval "$n=.env"; echo x > "$T"
n=T; readonly $n=.env; echo x > "$T"
n=T; local $n=a 2>/dev/null; f() { local $n=.env; echo x > "$T"; }; f
n=T; : "${!n:=.env}"; echo x > "$T"
let T=1; A=(a .env); echo x > "${A[T]}"
# Arrays
A=(a .env); echo x > "${A[1]}"
A=(a .env); echo x > "${A[-1]}"
A=(a .env b); echo x > "${A[@]:1:1}"
A=(a .env); echo x > "${A[@]:1}"
A=(a .env); echo x > "${A[@]: -1}"
A=(a .env); for f in "${A[@]:1}"; do echo x > "$f"; done
A=(a .env); for f in "${A[@]}"; do echo x > "$f"; done
A=(a .env); rm "${A[@]:1}"
A=(a .env); i=1; echo x > "${A[i]}"
A=(a .env); i=0; echo x > "${A[i+1]}"
A=(a .env); i=0; echo x > "${A[++i]}"
A[1]=.env; echo x > "${A[1]}"
A=(); A+=(.env); echo x > "$A"
A=(.env); A[1]=b; echo x > "$A"
A=(a); A[0]=.env; echo x > "$A"
A=([1]=.env [0]=a); echo x > "${A[1]}"
A=(a b); A=([0]=.env); echo x > "$A"
declare -A A; A[k]=.env; echo x > "${A[k]}"
declare -A A=([k]=.env); echo x > "${A[k]}"
declare -A A=([.env]=1); for k in "${!A[@]}"; do echo x > "$k"; done
declare -A A; A[.env]=1; echo x > "${!A[@]}"
declare -a A=(a .env); echo x > "${A[1]}"
declare -a A='(.env)'; echo x > "$A"
f() { local -a A=(.env); echo x > "$A"; }; f
f() { local A=(a .env); echo x > "${A[1]}"; }; f
A=(.env a); unset 'A[1]'; echo x > "${A[*]}"
A=(a .env); unset 'A[0]'; echo x > "${A[@]}"
A=(.e nv); IFS=; echo x > "${A[*]}"
A=(.e nv); printf -v T %s "${A[@]}"; echo x > "$T"
A=(x .env); B=("${A[@]}"); echo x > "${B[1]}"
read -ra A <<< 'a .env'; echo x > "${A[1]}"
read -r a b <<< 'x .env'; echo x > "$b"
IFS=: read -r a b <<< 'x:.env'; echo x > "$b"
IFS=, read -ra A <<< 'a,.env'; echo x > "${A[1]}"
mapfile -t A <<< $'a⏎.env'; echo x > "${A[1]}"
mapfile -t A < name; echo x > "$A"
readarray -t A < name; echo x > "${A[0]}"
mapfile -t A < <(echo .env); echo x > "$A"
mapfile -t <<< .env; echo x > "$MAPFILE"
mapfile -C 'echo x > .env #' -c 1 A < name
mapfile -c 1 -C 'printf x > .env; :' A < name
readarray -C 'f' -c 1 A < name; f() { echo x > .env; }; mapfile -C f -c 1 A < name
mapfile -tC 'echo x > .env;:' -c1 A <<< a
A=(a .env); set -- "${A[@]}"; echo x > "$2"
set -- a .env; echo x > "${@:2}"
set -- a .env; echo x > "${@:2:1}"
set -- a .env; echo x > "${*: -1}"
set -- a .env; echo x > "${@: -1}"
set -- a .env; shift; echo x > "$1"
set -- a b .env; shift 2; echo x > "$1"
set -- 1 2 3 4 5 6 7 8 9 .env; echo x > "${10}"
set -- .env; echo x > "$*"
set -- .env; for f; do echo x > "$f"; done
set -- .env; while [ $# -gt 0 ]; do echo x > "$1"; shift; done
set -- a .env; n=2; echo x > "${!n}"
set -- a .env; echo x > "${!#}"
set -- -f .env; while getopts f: o; do echo x > "$OPTARG"; done
set -- -f.env; getopts f: o; echo x > "$OPTARG"
getopts f: o -f .env; echo x > "$OPTARG"
set .env; echo x > "$1"
set -e -- .env; echo x > "$1"
set -- ${T:-.env}; echo x > "$1"
set -eu .env; echo x > "$1"
set - .env; echo x > "$1"
bash -c 'echo x > "$1"' _ .env
bash -c 'echo x > "$0"' .env
bash -s .env <<< 'echo x > "$1"'
bash -c 'shift; echo x > "$1"' _ a .env
echo 'echo x > $1' | bash -s -- .env
# Indirection and operators
T=.env; n=T; echo x > "${!n}"
A=(a .env); n='A[1]'; echo x > "${!n}"
T=.env; for n in "${!T@}"; do echo x > "${!n}"; done
x=T; T=.env; echo x > "${!x}"
T=.ENV; echo x > "${T,,}"
T=.ENV; echo x > "${T,,*}"
T=.eNV; echo x > "${T,,}"
T=.enV; echo x > "${T/V/v}"
T=xenv; echo x > "${T/x/.}"
T=xenv; echo x > "${T/#x/.}"
T=.enx; echo x > "${T/%x/v}"
T=.eXnXv; echo x > "${T//X}"
T=.env.bak; echo x > "${T%.bak}"
T=.env.bak.x; echo x > "${T%%.bak*}"
T=d/.env; echo x > "${T#d/}"
T=d/d/.env; echo x > "${T##*/}"
T=.envelope; echo x > "${T:0:4}"
T=my.env; echo x > "${T:2}"
T=my.env; echo x > "${T: -4}"
T=my.env; i=2; echo x > "${T:i}"
T=.env; echo x > "${T@Q}"; eval "echo x > ${T@Q}"
T='.env'; echo x > "${T@E}"
T='\056env'; echo x > "${T@E}"
T='.env'; echo x > "${T@P}"
T='$(echo .env)'; echo x > "${T@P}"
T=.ENV; echo x > "${T@L}"
T=.env; declare -p T > s; T=a; . ./s; echo x > "$T"
T=.env; x=${T@A}; T=a; eval "$x"; echo x > "$T"
x=env; echo x > ".$x"
x=.e; echo x > "${x}nv"
x=.e; x+=nv; echo x > "$x"
T=.env; echo x > "${T[0]}"
T=.env; echo x > "${T[@]}"
echo x > $'\x2eenv'
echo x > $'.\145nv'
echo x > $'\u002eenv'
echo x > .e'n'"v"
echo x > .e\nv
echo x > $".env"
echo x > .en""v
echo x > .{env,env}; echo x > .env
echo x | tee .{env,other}
echo x | tee .en{u..w} >/dev/null
echo x | tee {.env,a} >/dev/null
# Arithmetic
A=(a .env); echo x > "${A[$((0+1))]}"
A=(a .env); ((i=1)); echo x > "${A[i]}"
A=(a .env); echo $((i=1)); echo x > "${A[i]}"
A=(a .env); let i=1; echo x > "${A[$i]}"
i=0; f=(a .env); ((i++)); rm "${f[$i]}"
((1)) && echo x > .env
((n=$(echo x > .env; echo 1)))
x='a[$(echo x > .env)]'; echo $((x))
x='a[$(echo x > .env)]'; ((x)); :
x='a[$(echo x > .env)]'; [[ x -eq 0 ]]; :
x='a[$(echo x > .env)]'; declare -i n; n=x
x='a[$(echo x > .env)]'; A=(1); : "${A[x]}"
x='a[$(echo x > .env)]'; test -v "$x"
x='a[$(echo x > .env)]'; printf -v "$x" y
x='a[$(echo x > .env)]'; read "$x" <<< y
x='a[$(echo x > .env)]'; let x
x='a[$(echo x > .env)]'; : "${A:x}"; A=abc; : "${A:x}"
x='a[$(echo x > .env)]'; for ((x; 0; )); do :; done
x='a[$(echo x > .env)]'; [ -v "$x" ]; :
x='a[$(echo x > .env)]'; : ${!x}; :
x='a[$(echo x > .env)]'; shift $((x))
export x='a[$(echo x > .env)]'; bash -c 'echo $((x))'
# Files that are read and run
echo 'echo x > .env' > s; . ./s
echo 'echo x > .env' > s; source ./s
echo 'echo x > .env' > s; source s
echo 'echo x > $1' > s; . ./s .env
echo 'T=.env' > s; . ./s; echo x > "$T"
echo 'T=.env' > s; source s; echo x > "$T"
echo 'f() { echo x > .env; }' > s; . ./s; f
echo 'cd d' > s; . ./s; echo x > ../.env
. <(echo 'echo x > .env')
source <(echo 'T=.env'); echo x > "$T"
source /dev/stdin <<< 'echo x > .env'
. /dev/stdin <<E⏎echo x > .env⏎E
. /dev/fd/0 <<< 'T=.env'; echo x > "$T"
echo 'echo x > .env' | source /dev/stdin
bash /dev/stdin <<< 'echo x > .env'
bash /dev/fd/0 <<< 'echo x > .env'
bash /proc/self/fd/0 <<< 'echo x > .env'
sh /dev/stdin .env <<< 'echo x > $1'
echo 'echo x > .env' | bash /dev/stdin
bash <<< 'echo x > .env'
bash -s <<< 'echo x > .env'
bash - <<< 'echo x > .env'
bash <(echo 'echo x > .env')
bash < <(echo 'echo x > .env')
exec 3<<< 'echo x > .env'; bash /dev/fd/3
exec 3<<< 'echo x > .env'; bash <&3
exec 3<<< 'echo x > .env'; . /dev/fd/3
exec 3<<< .env; read T <&3; echo x > "$T"
exec 3<<< .env; read -u 3 T; echo x > "$T"
exec 3<<< .env; T=$(cat <&3); echo x > "$T"
exec 3<<< .env; xargs rm <&3
exec < name; read T; echo x > "$T"
exec <<< .env; read T; echo x > "$T"
exec 3< name; read -u3 T; echo x > "$T"
read T < name; echo x > "$T"
T=$(<name); echo x > "$T"
T=$(cat name); echo x > "$T"
T=`cat name`; echo x > $T
xargs rm < name
while read -r T; do echo x > "$T"; done < name
echo .env > s; T=$(cat s); echo x > "$T"
echo .env > s; read T < s; echo x > "$T"
echo .env > s; T=$(<s); echo x > "$T"
echo 'echo x > .env' > s; BASH_ENV=s bash -c :
echo 'echo x > .env' > s; BASH_ENV=./s bash -c true
echo 'echo x > .env' > s; export BASH_ENV=$PWD/s; bash -c :
echo 'echo x > .env' > s; env BASH_ENV=s bash -c :
BASH_ENV=<(echo 'echo x > .env') bash -c :
BASH_ENV=/dev/stdin bash -c : <<< 'echo x > .env'
BASH_ENV='$(echo x > .env)' bash -c :
export BASH_ENV='$(echo x > .env)'; bash -c :
ENV='$(echo x > .env)' bash --posix -i -c : 2>/dev/null
echo 'echo x > .env' > s; ENV=./s sh -i -c : 2>/dev/null
bash --rcfile <(echo 'echo x > .env') -i -c : 2>/dev/null
echo 'echo x > .env' > s; bash --init-file s -i -c : 2>/dev/null
echo 'echo x > .env' > s; chmod +x s; ./s
echo 'echo x > .env' > s; chmod +x s; PATH=.:$PATH; s
echo 'echo x > .env' > s; chmod +x s; PATH=$PWD:$PATH s
echo 'echo x > .env' > cat; chmod +x cat; PATH=.:$PATH; hash -r; cat
cat > s <<'E'⏎echo x > .env⏎E⏎bash s
cat > s <<E⏎echo x > .env⏎E⏎sh < s
tee s <<< 'echo x > .env' >/dev/null; sh s
echo 'echo x > .env' > s; bash -x s 2>/dev/null
echo 'echo x > .env' > s; cp s t; sh t
echo 'echo x > .env' > s; mv s t; sh ./t
echo 'echo x > .env' > s; ln s t; sh t
echo 'echo x > .env' > s; cat s | sh
echo 'echo x > .env' > s; eval "$(cat s)"
echo 'echo x > .env' > s; eval "$(<s)"
# Lasting redirections and descriptors
exec > .env; echo x
exec 3> .env; echo x >&3
exec 3> .env; echo x > /dev/fd/3
exec {fd}> .env; echo x >&$fd
exec 3<> .env; echo x >&3
exec 3< .env; echo x > /dev/fd/3
exec 3< .env; echo x > /proc/self/fd/3
echo x 3< .env > /dev/fd/3
echo x > /dev/fd/3 3> .env; echo x 3> .env > /dev/fd/3
tee /dev/fd/3 3< .env <<< x
truncate -s 0 /dev/stdin < .env
truncate -s 0 /proc/self/fd/0 < .env
{ echo x > /dev/stdin; } < .env
x=.env; exec 4>> "$x"; echo x >&4
echo x >& .env
echo x &> .env
echo x 1<> .env
echo x > >(cat > .env); sleep 0.2
echo x | tee >(cat > .env) > /dev/null; sleep 0.2
cp a >(cat > .env); sleep 0.2
cat > .env < a
cat a 1> .env
{ echo x; } > .env
f() { echo x; } > .env; f
for i in 1; do echo x; done > .env
cp /dev/stdin .env <<< x
cp /dev/fd/3 .env 3<<< x
dd of=.env 2>/dev/null <<< x
# Prompts, traps, hooks of the shell
PS4='$(echo x > .env)'; set -x; : 2>/dev/null
PS4='`echo x > .env`'; set -x; :
declare PS4='$(echo x > .env)'; set -x; :
n=PS4; declare "$n=\$(echo x > .env)"; set -x; :
T='$(echo x > .env)'; PS4=$T; set -x; :
T='echo x > .env'; PS4="\$($T)"; set -x; :
read PS4 <<< '$(echo x > .env)'; set -x; :
PS4='$(e'; PS4+='cho x > .env)'; set -x; :
printf -v PS4 '$(echo x > .env)'; set -x; :
: ${PS4:=a}; PS4=${T:-'$(echo x > .env)'}; set -x; :
trap 'echo x > .env' EXIT
trap 'echo x > .env' 0
trap 'echo x > .env' DEBUG; :
trap 'echo x > .env' ERR; false; :
trap 'echo x > .env' USR1; kill -USR1 $$; :
trap 'echo x > .env' RETURN; f() { :; }; f; . /dev/null
trap -- 'echo x > .env' EXIT
f() { echo x > .env; }; trap f EXIT
f() { echo x > .env; }; trap f ERR; false; :
trap 'echo x > "$T"' EXIT; T=.env
T=a; trap 'echo x > "$T"' EXIT; T=.env
T=.env; trap "echo x > $T" EXIT; T=a
trap 'echo x > $T' DEBUG; T=.env; :; trap - DEBUG
trap 'cd ..; echo x > .env' EXIT; cd d
trap 'echo x > .env' EXIT; cd d; cd ..
cd d; trap 'echo x > ../.env' EXIT
(trap 'echo x > .env' EXIT)
bash -c 'trap "echo x > .env" EXIT'
f() { trap 'echo x > .env' RETURN; }; f
command_not_found_handle() { echo x > .env; }; no_such_program
command_not_found_handle() { echo x > "$1"; }; no_such_program; eval '".env"'
shopt -s expand_aliases⏎alias w='echo x >'⏎w .env
shopt -s expand_aliases⏎alias w='echo x > .env'⏎w
bash -O expand_aliases -c $'alias w="echo x > .env"\nw'
BASH_ALIASES[w]='echo x > .env'; shopt -s expand_aliases⏎w
hash -p /bin/rm innocent; innocent .env
enable -n echo; echo x > .env
enable -n test; test x > .env
builtin echo x > .env
builtin eval 'echo x > .env'
command eval 'echo x > .env'
command -p rm .env
command -- rm .env
builtin command rm .env
exec -a name rm .env
exec -c rm .env
\rm .env
'rm' .env
"r"m .env
r\m .env
/bin/r[m]  .env
$(echo rm) .env
$(type -P rm) .env
`which rm` .env
R=rm; $R .env
R='rm -f'; $R .env
R=(rm -f .env); "${R[@]}"
R=(rm -f); "${R[@]}" .env
set -- rm .env; "$@"
set -- rm .env; $*
f() { "$@"; }; f rm .env
f() { $*; }; f rm .env
f() { shift; "$@"; }; f a rm .env
f() { local c=$1; shift; "$c" "$@"; }; f rm .env
f() { eval "$1"; }; f 'rm .env'
f() { eval "$@"; }; f rm .env
eval rm .env
eval 'rm' "'.env'"
eval "eval 'rm .env'"
c='rm .env'; eval "$c"
c='rm .env'; $c
c='rm .env'; bash -c "$c"
c='rm .env'; sh <<< "$c"
c='rm .env'; echo "$c" | sh
printf '%s\n' 'rm .env' | xargs -I% sh -c %
coproc rm .env; wait
coproc W { rm .env; }; wait
coproc { echo x > .env; }; wait
coproc cat; echo x > .env; kill $!
select f in .env; do echo x > "$f"; break; done <<< 1
select f in a .env; do rm "$f"; break; done <<< 2 2>/dev/null
case x in x) T=a;;& *) T=.env;; esac; echo x > "$T"
case x in x) T=.env;& y) echo x > "$T";; esac
case x in x) ;& y) rm .env;; esac
case x in x) T=a ;; esac; case $T in a) rm .env;; esac
until rm .env; do :; done
while rm .env; do break; done
if rm .env; then :; fi
! rm .env
time rm .env
{ rm .env; }
( rm .env )
for ((i=0;i<1;i++)); do rm .env; done
for f in .env; { rm "$f"; }
for f in .e; do rm "${f}nv"; done
for f in .env; do for g in a; do rm "$f"; done; done
for f in $(echo .env); do rm "$f"; done
for f in `echo a .env`; do rm -f "$f"; done
for x in n; do for y in v; do rm ".e$x$y"; done; done
[[ -f a ]] && rm .env
[[ -f a && -d d ]] && { rm .env; }
[[ $(rm .env) ]]; :
[[ x =~ $(rm .env) ]]; :
[[ .env =~ (.*) ]] && rm "${BASH_REMATCH[1]}"
[[ x.env =~ x(.*) ]]; rm "${BASH_REMATCH[1]}"
T=a; [[ .env =~ .* ]] && T=$BASH_REMATCH; rm "$T"
echo .env | { read f; rm "$f"; }
echo .env | while read f; do rm "$f"; done
echo a .env | while read x f; do rm "$f"; done
while read f; do rm "$f"; done <<< .env
while read f; do rm "$f"; done <<E⏎.env⏎E
while IFS= read -r f; do rm -f "$f"; done < <(echo .env)
while IFS== read -r k f; do rm -f "$f"; done <<< 'a=.env'
read -d: f <<< '.env:b'; rm "$f"
read -n4 f <<< '.envelope'; rm "$f"
read -N4 f <<< '.envelope'; rm "$f"
read -rp '' f <<< .env; rm "$f"
read <<< .env; rm "$REPLY"
read f < <(echo .env); rm "$f"
read a f < <(echo a .env); rm "$f"
f=$(head -1 <<< .env); rm "$f"
f=$(tail -n1 name); rm "$f"
f=$(sed s/x/./ <<< xenv); rm "$f"
f=$(tr x . <<< xenv); rm "$f"
f=$(rev <<< vne.); rm "$f"
f=$(cut -d: -f2 <<< x:.env); rm "$f"
f=$(awk 'BEGIN{print ".env"}'); rm "$f"
f=$(base64 -d <<< LmVudg==); rm "$f"
f=$(xxd -r -p <<< 2e656e76); rm "$f"
f=$(python3 -c 'print(".env")'); rm "$f"
f=$(ls -A | grep env); rm "$f"
f=$(basename x/.env); rm "$f"
f=$(dirname .env/x); rm "$f"
f=$(expr x.env : 'x\(.*\)'); rm "$f"
f=$(set -- .env; echo "$1"); rm "$f"
f=$(echo .env; true); rm "$f"
f=$(echo a >/dev/null; echo .env); rm "$f"
f=$(f=.env; echo $f); rm "$f"
f=$(g() { echo .env; }; g); rm "$f"
g() { echo .env; }; rm "$(g)"
g() { echo ".$1"; }; rm "$(g env)"
g() { printf %s "$T"; }; T=.env; rm "$(g)"
g() { REPLY=.env; }; g; rm "$REPLY"
f=$(case x in x) echo .env;; esac); rm "$f"
f=$(if true; then echo .env; fi); rm "$f"
f=$(for i in .env; do echo $i; done); rm "$f"
f=$(cat <<E⏎.env⏎E⏎); rm "$f"
f=$(cat <<< .env); rm "$f"
f=$(echo '.env' | cat); rm "$f"
f=`echo .env`; rm "$f"
f=`echo \`echo .env\``; rm "$f"
# Splitting and patterns
IFS=,; f=a,.env; rm $f
IFS=:; f=.env:a; for g in $f; do rm "$g"; done
IFS=x; f=ax.env; set -- $f; rm "$2"
f='a .env'; rm $f
f='a⏎.env'; rm $f
rm .en?
rm .en[v]
rm .e*
rm .[e]nv
f='.en*'; rm $f
f=.en; rm $f*
shopt -s extglob⏎rm .@(env|x)
shopt -s extglob⏎rm .+([env])
shopt -s dotglob; rm -f *
shopt -s dotglob; for f in *; do rm -f "$f" 2>/dev/null; done
shopt -s globstar dotglob; rm -f **
shopt -s globstar dotglob; rm -f ./**/.env
shopt -s nocaseglob; rm .EN*
shopt -s nullglob; for f in .env*; do rm "$f"; done
for f in .env*; do rm "$f"; done
for f in ./.e*; do echo x > "$f"; done
GLOBIGNORE=a:d:name; rm -f *
GLOBIGNORE=x; rm -f * 2>/dev/null; :
set -f; rm .env
cd d; rm ../.env
cd d && cd ..; rm .env
cd d; cd -; rm .env
pushd d > /dev/null; popd > /dev/null; rm .env
pushd d > /dev/null; rm ../.env
cd d; cd "$OLDPWD"; rm .env
(cd d); rm .env
cd d/..; rm .env
cd ./d/../; rm .env
CDPATH=d; cd . ; rm .env
mkdir -p q/d; CDPATH=q; cd d > /dev/null; rm ../../.env
cd $(pwd); rm .env
cd "$PWD"; rm .env
cd ~-/. 2>/dev/null || rm .env
cd() { :; }; cd d; rm .env
alias cd=true; rm .env
rm d/../.env
rm ./.env
rm .//.env
rm "$PWD/.env"
rm "$(pwd)/.env"
rm ~+/.env
rm /proc/self/cwd/.env
cd d; rm ~-/.env
ln -s . l; rm l/.env
ln -s .env l; echo x > l
ln .env l; echo x > l
cp -l .env l; echo x > l
cp -s "$PWD/.env" l; echo x > l
cp -s .env l; echo x > l
cp -as "$PWD/.env" d/l; echo x > d/l
cp -al .env l; echo x > l
cp --symbolic-link .env l; echo x > l
cp --link .env l; echo x > l
ln -s ../.env d/l; echo x > d/l
ln -sr .env d/l; echo x > d/l
ln -s "$PWD/.env" d/l; echo x > d/l
ln -s .env l; cp a l
ln -s .env l; mv l m; echo x > m
ln -s .env l; ln -s l m; echo x > m
ln -s .env l; cp -P l m; echo x > m
ln -s .env l; sed -i --follow-symlinks s/./y/ l
ln -s .env l; for f in l; do echo x > $f; done
mkdir p; echo x > p/.env; cp -rT p .
mkdir p; echo x > p/.env; cp -r p/. .
mkdir p; echo x > p/.env; cp -a p/. ./
mkdir p; echo x > p/.env; cp -r --no-target-directory p .
mkdir p; echo x > p/.env; cp p/.* . 2>/dev/null; :
mkdir p; echo x > p/.env; mv p/.env .
mkdir p; echo x > p/.env; mv -t . p/.env
mkdir p; echo x > p/.env; install p/.env .
mkdir p; echo x > p/.env; (cd p && tar cf - .) | tar xf -
mkdir p; echo x > p/.env; cd p; cp .env ..
mkdir p; echo x > p/.env; cp --parents p/.env . ; cd p; cp --parents .env ..
mkdir p; echo x > p/.env; rsync -a p/ . 2>/dev/null || cp p/.env .
mkdir p; echo x > p/q; mv p/q p/.env; cp p/.env .
cp a b; mv b .env
mv .env b
mv -f a .env
cp -T a .env
cp --remove-destination a .env
cp -t . d/../a; cp a ./.env
install -m 600 a .env
install -D a .env
dd if=a of=.env 2>/dev/null
tee .env < a > /dev/null
sort -o .env a
sort a -o.env
sed -n 'w .env' a
sed 's/x/y/w .env' a
sed -i 's/$/x/' .env
awk '{print > ".env"}' a
awk -v o=.env '{print > o}' a
truncate -s0 .env
split -b 100 a .env; mv .envaa .env
find . -name .env -delete
find . -name '.en*' -exec rm {} +
find . -maxdepth 1 -type f -name '.e*' | xargs rm
ls -A | grep '^\.e' | xargs rm
echo .env | xargs rm
xargs rm <<< .env
xargs -a name rm
xargs -I{} rm {} < name
cat name | xargs rm
env rm .env
nohup rm .env 2>/dev/null
timeout 5 rm .env
nice rm .env
nice -n 5 rm .env
stdbuf -o0 rm .env
setsid -w rm .env
env -i /bin/rm .env
env -S 'rm .env'
env -C d rm ../.env
xargs -n1 -- rm <<< .env
sh -c 'rm .env'
sh -c 'rm "$1"' sh .env
sh -ec 'rm .env'
bash -euo pipefail -c 'rm .env'
bash -o pipefail -c 'rm .env'
bash --norc -c 'rm .env'
bash -lc 'rm .env'
dash -c 'rm .env'
exec sh -c 'rm .env'
(exec rm .env)
exec rm .env
command sh -c 'rm .env'
sh -c 'sh -c "rm .env"'
sh -c "sh -c 'rm .env'"
history -s 'rm .env'; fc -s 2>/dev/null; rm .env
set -o history; history -s 'rm .env'; fc -s; rm -f .env
export -f f 2>/dev/null; f() { rm .env; }; export -f f; bash -c f
env 'BASH_FUNC_f%%=() { rm .env; }' bash -c f
env 'BASH_FUNC_ls%%=() { rm .env; }' bash -c ls
PROMPT_COMMAND='rm .env'; bash -ic : 2>/dev/null; eval "$PROMPT_COMMAND"
SHELL=/bin/sh; "$SHELL" -c 'rm .env'
$0 -c 'rm .env'
$BASH -c 'rm .env'
"$BASH" -c 'rm .env'
"${BASH}" <<< 'rm .env'
${SHELL:-sh} -c 'rm .env'
exec -l bash -c 'rm .env'
. /dev/stdin <<< 'rm() { command rm "$@"; }; rm .env'
unset -f rm; rm .env
rm() { command rm "$@"; }; rm .env
rm() { :; }; command rm .env
rm() { :; }; unset -f rm; rm .env
rm() { :; }; /bin/rm .env
rm() { :; }; (unset -f rm; rm .env)
rm() { :; }; sh -c 'rm .env'
rm() { :; }; env rm .env
rm() { :; }; \rm .env; command rm .env
f() { rm a; }; f() { rm .env; }; f
function f { rm .env; }; f
function f() { rm .env; }; f
f() ( rm .env ); f
f() if true; then rm .env; fi; f
f() { g; }; g() { rm .env; }; f
f() { f() { rm .env; }; f; }; f
eval 'f() { rm .env; }'; f
f() { [ "$1" = 0 ] && rm .env || f 0; }; f 1
f() { n=$(($1-1)); [ $n -le 0 ] && { rm .env; return; }; f $n; }; f 5
f() { T=$1; [ ${#T} -ge 4 ] && { rm "$T"; return; }; f "${T}$2" $3; }; f .en v
return 0 2>/dev/null; rm .env
exit() { :; }; exit; rm .env
true; exit_code=0; rm .env
while :; do rm .env; break; done
while :; do break; done; rm .env
for i in 1 2; do continue; done; rm .env
for i in 1 2; do [ $i = 2 ] && T=.env; done; rm "$T"
for i in 1 2 3; do T=$S; S=.env; done; rm "$T"
a=1; while [ $a -lt 5 ]; do T=$S; S=$R; R=$Q; Q=.env; a=$((a+1)); done; rm "$T"
i=0; while [ $i -lt 4 ]; do T=.e$U; U=n$V; V=v; i=$((i+1)); done; rm "$T"
T=; for c in . e n v; do T=$T$c; done; rm "$T"
T=; for c in . e n v; do T+=$c; done; rm "$T"
T=; while read -r c; do T+=$c; done <<< $'.⏎e⏎n⏎v'; rm "$T"
T=.env; T=${T}x; T=${T%x}; rm "$T"
T=a; { T=.env; }; rm "$T"
T=a; { T=.env; } > /dev/null; rm "$T"
T=a; for i in 1; do T=.env; done < /dev/null; rm "$T"
T=a; if true; then T=.env; fi 2> /dev/null; rm "$T"
shopt -s lastpipe; echo .env | read T; rm "$T"
T=a; shopt -s lastpipe; echo .env | read T; rm "$T"
T=a; shopt -s lastpipe; true | T=.env; rm "$T"
T=a; source <(echo T=.env); rm "$T"
T=a; eval T=.env; rm "$T"
T=a; eval "T"=.env; rm "$T"
T=a; . /dev/stdin <<< T=.env; rm "$T"
T=a; f() { eval "$1=.env"; }; f T; rm "$T"
T=a; f() { local -n o=$1; o=.env; }; f T; rm "$T"
T=a; f() { printf -v "$1" .env; }; f T; rm "$T"
T=a; f() { read -r "$1" <<< .env; }; f T; rm "$T"
T=a; f() { declare -g "$1=.env"; }; f T; rm "$T"
T=a; f() { export "$1=.env"; }; f T; rm "$T"
T=a; f() { IFS= read -r -d '' "$1" < <(printf '.env\0'); }; f T; rm "$T"
T=a; mapfile -t T <<< .env; rm "$T"
T=a; read -a T <<< .env; rm "$T"
T=a; getopts x: o -x .env && T=$OPTARG; rm "$T"
T=a; for T in .env; do :; done; rm "$T"
T=a; select T in .env; do break; done <<< 1 2>/dev/null; rm "$T"
T=a; T=.env :; T=.env eval 'rm "$T"'
T=a; T=.env; rm "$T"
T=a; T=.env . /dev/stdin <<< 'rm "$T"'
T=a; f() { rm "$T"; }; T=.env f
T=a; T=.env command eval 'rm "$T"'
T=a; : $((T=1)); A=(x .env); rm "${A[T]}"
T=a; unset T; rm "${T:-.env}"
T=a; unset -v T; rm "${T-.env}"
T=a; f() { unset T; }; f; rm "${T:-.env}"
T=a; set -- .env; T=$1; rm "$T"
T=a; T=$_; T=${T/a/.env}; rm -f "$T" .env
echo .env; rm "$_"
true .env; rm $_
: .env; cat a > "$_"
_=a; : .env; rm "$_"
mkdir -p zz && cd "$_" && rm ../.env
!! 2>/dev/null; rm .env
{rm,.env}
{rm,-f,.env}
{echo,x} > .env
rm ${T:+a} .env
rm $T .env
rm "" .env 2>/dev/null; :
rm -- .env
rm -f -- ./.env
rm -rf .env
rm -rf . 2>/dev/null; rm .env
rm -rf ./.env/ 2>/dev/null; rm .env
a=.env b=a; rm "${!b}"
a=.env; b='$a'; eval rm "$b"
a=.env; b='$a'; rm "$(eval echo "$b")"
x=r; y=m; $x$y .env
x=r; "${x}m" .env
x='r m'; ${x/ /} .env
x=mr; ${x:1:1}${x:0:1} .env
IFS=_; c=rm_.env; $c
c=(rm .env); ${c[0]} ${c[1]}
c=(rm .env); ${c[@]}
c=(x rm .env); "${c[@]:1}"
echo "rm .env" | bash
bash <<'E'⏎rm .env⏎E
bash <<E⏎rm .env⏎E
bash -s <<'E' .env⏎rm "$1"⏎E
cat <<E | bash⏎rm .env⏎E
cat <<'E' > s; bash s⏎rm .env⏎E
T=.env; cat <<E | bash⏎rm $T⏎E
T=.env; bash <<E⏎rm $T⏎E
T=.env; export T; bash <<'E'⏎rm $T⏎E
cat <<-E | bash⏎	rm .env⏎	E
bash <<"E"⏎rm .env⏎E
bash << \E⏎rm .env⏎E
cat <<E⏎$(rm .env)⏎E
cat <<E⏎`rm .env`⏎E
cat <<E > /dev/null⏎${x:-$(rm .env)}⏎E
: "$(rm .env)"
: `rm .env`
: <(rm .env); sleep 0.2
: >(rm .env); sleep 0.2
: ${x:-$(rm .env)}
: ${x:=$(rm .env)}
: $((1 + $(rm .env; echo 1)))
: $[ $(rm .env; echo 1) ]
x=$(rm .env)
x=`rm .env`
x=($(rm .env))
x[$(rm .env)1]=2 2>/dev/null; :
local_=$(rm .env)
export x=$(rm .env)
declare x="$(rm .env)"
echo "a $(echo "b $(rm .env)")"
if [ "$(rm .env)" ]; then :; fi
for i in $(rm .env); do :; done
case $(rm .env) in *) ;; esac
case x in $(rm .env; echo x)) ;; esac
[ -n "$(rm .env)" ]; :
[[ -n `rm .env` ]]; :
test -z "$(rm .env)"
(( $(rm .env; echo 1) ))
echo x > "$(rm .env; echo b)"
cat < <(rm .env)
cat <<< "$(rm .env)"
f() { echo "$(rm .env)"; }; f
set -- "$(rm .env)"
shift $(rm .env; echo 0)
trap "$(rm .env)" EXIT
alias x="$(rm .env)"
read x <<< "$(rm .env)"
return $(rm .env) 2>/dev/null; :
T=${x:-.env}; rm "$T"
"""
