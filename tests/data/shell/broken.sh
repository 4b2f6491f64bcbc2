CKPT=<path to checkpoint>
foo( bar
torchrun a.py --load $CKPT --x ${X@Q} {1..3} ${A:1:2:3}
fi
torchrun --after
if true; then torchrun --open
