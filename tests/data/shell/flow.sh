MODE=${1:-8B}
case "$MODE" in
  8B) LAYERS=32 ;;
  70B) LAYERS=80 ;;
  *) echo unknown; exit 1 ;;
esac
if [ -f /etc/x ]; then EXTRA="--from-file"; SAME=1; KEEP=new; else SAME=1; DIFF=2; fi
KEEP2=old
if grep -q x y; then KEEP2=new; fi
if [ -z "$GPUS" ]; then
  GPUS=8
fi
launch() {
  local tp=$1
  shift
  torchrun --tp $tp --layers $LAYERS "$@"
}
launch 4 --extra $EXTRA $SAME $KEEP2 $GPUS
never_called() { torchrun --never $1; }
for tp in 1 2 4; do
  torchrun --loop $tp --size "$((tp * 2))"
done
read -r ANSWER
torchrun --answer $ANSWER
if [[ $LAYERS == 80 ]]; then torchrun --dead; elif true; then torchrun --alive; fi
exit 0
torchrun --behind-exit
