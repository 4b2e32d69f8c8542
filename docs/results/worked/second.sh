# The second round, all runs at once on one GPU under NVIDIA's MPS: W=FOLDER MODEL=smollm2 J=FOLDER bash second.sh
#
# W      where to write
# MODEL  the folder that `rlve model` makes of SmolLM2-135M-Instruct
# J      where c16.jsonl and held_1250.jsonl are; README.md says how they are made
# TOTAL  seconds after which everything is told to stop
R=${R:-python3 -m rlve}; TOTAL=${TOTAL:-560}
mkdir -p $W/logs $W/evals; cd $W; STOP=$(( $(date +%s) + TOTAL ))
go() { # name, command...
  local name=$1; shift
  timeout --foreground -k 20 -s TERM $(( STOP - $(date +%s) )) $R "$@" > logs/$name.log 2>&1 < /dev/null
}
model() { ls -d $W/$1/$2/checkpoints/step-*/model 2>/dev/null | tail -n 1; }
T="--data.environments C16 --data.levels 0 1 --data.max-prompt-tokens 1024 --data.max-answer-tokens 512 --update.micro-batch-tokens 16384 --policy.no-gradient-checkpointing"
teach() { local way=$1 seed=$2; shift 2; go $way-$seed teach --policy.model $MODEL --policy.format chat $T --validation.every 0 --run.checkpoint-every 100000 --run.keep-checkpoints 1 --run.samples-every 100 --run.sampled-groups 16 --run.workers 2 "$@" --run.seed $seed --run.folder $way/$seed; rm -f $way/$seed/checkpoints/*/tensors.pt; }
ask() { local m=$(model $1 $2); [ -n "$m" ] && go eval-$1-$2 eval -m $m --suite $J/c16.jsonl --suite $J/held_1250.jsonl -n 1 --temperature 0.6 --max-tokens 512 --concurrency 256 --workers 2 --folder evals/$1-$2; }
L="--policy.format chat --data.max-prompt-tokens 1024 --rollout.problems 16 --rollout.oversample 24 --rollout.rounds 1 --rollout.group 16 --rollout.max-tokens 512 --rollout.slots 384 --rollout.memory 0.06 --update.learning-rate 2e-5 --update.warmup-steps 5 --update.micro-batch-tokens 8192 --validation.every 20 --validation.temperatures 0.6 --run.checkpoint-every 100000 --run.keep-checkpoints 1 --run.samples-every 20 --run.sampled-groups 16 --run.workers 2 --run.steps 100"
rl() { local m=$(model $1 $2); [ -n "$m" ] && go rl-$1-$2 train --preset model --policy.model $m $L --data.environments C16 --validation.levels 0 1 2 3 4 --validation.problems 8 --run.seed $2 --run.folder rl-$1/$2; }
STUCK="ABProgramSimulation AdditionTable BinaryTreeLeafNumExpectation Cinema Differentiate FBI_BinaryTree MaxGridPathIntersection MaxMultSplit MinNonsubstring MinSwapTwoPermutations MinXorPair PalindromicSubstringNumberCounting"
unstick() { local m=$(model light $2); [ -n "$m" ] && go $1-$2 train --preset model --policy.model $m $L --data.environments $STUCK --rollout.signal correct --rollout.$1 --validation.levels 0 1 2 --validation.problems 12 --run.seed $2 --run.folder $1/$2; }
for s in 0 1; do
  ( teach light $s --data.worked where-possible --data.examples 64 --update.schedule-steps 500 --run.steps 140
    rl light $s & unstick hints $s & unstick no-hints $s & wait ) &
  ( teach thorough $s --data.worked where-possible --data.examples 64 --run.steps 400; rl thorough $s & ask thorough $s; wait ) &
  ( teach answers $s --data.worked off --data.examples 118 --run.steps 400; ask answers $s ) &
done; wait
