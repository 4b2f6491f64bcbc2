# Every command is `t` and its words; expansion.words is what bash 5.2 makes of them.
TP=4
PP="2"
A=( --tp $TP "--pp" "$PP"
  # comment
  --x 'a b' --y "c  d" ) 
A+=(--z)
t ${A[@]}
t "${A[@]}"
t ${A[*]} "${A[*]}" $A "${A[1]}" ${#A[@]} ${#TP}
S="--one 1 \
  --two 2
  --three 'q r'"
S+=" --four $((TP*PP+1))"
t $S "$S"
t ${S}x y${TP}z "${TP}"'q'"$PP"
B=""
t $B "$B" x"$B"
E=${NOPE-def} ; F=${NOPE:-"d e"}
t $E $F "$F" ${NOPE:-x y} "${NOPE:-x y}" ${NOPE:+alt} ${TP:+alt $PP}
N=path/to/file.tar.gz
t ${N%.gz} ${N%%.*} ${N#*/} ${N##*/} ${N/to/from} ${N//t/T} ${N:0:4} ${N:5} ${N^^} ${TP,,}
t $((TP > 2 ? 10 : 20)) $(( (1+2)*3 - 4/2 % 3 )) $((2**10)) $((1<<4|1)) $((TP*$PP))
if [ "$TP" = 4 ]; then t yes; else t no; fi
if [[ $N == *.gz && -n "$TP" || $Q ]]; then t yes2; fi
[ -z "$B" ] && t empty
[ "$TP" -gt 8 ] || t small
case $N in a*|b) t wrong;; path/*) t right;; *) t default;; esac
for i in only; do t loop $i; done
f() { t f "$1" "$@" ${2:-9}; local q=7; t $q; }
f 1 "2 3"
f
cmd="t cmd --a 1"
$cmd
eval $cmd "'x y'"
eval "$cmd --b \"1 2\""
bash_like='t inner $TP "a b"'
eval "$bash_like"
export X=5 Y
( X=6; t sub $X )
t $X
{ t group; } 
X=7 t prefix $X
t pipe | cat
t a=b c=[1,2] 'd={x: 1}' ~trainer.x
set -- p q r
t $# $1 "$@"
shift
t "$1" "$*"
unset TP
t ${TP:-unset} ${TP-u2}
t "multi
line" end
t cont\
inued --a \
  --b
t last; t semi && t and
C=(one "two words" three)
C[1]=TWO
t "${C[@]}" ${C[2]}
t -- "pre${C[@]}post"
i=0; t $i
while false; do t never; done
! false && t notfalse
t 'unterminated"ok' "it's"
t --flag=$X --flag="$X y" --opt="a"b'c'
