# The first round, all runs at once on one GPU under NVIDIA's MPS: W=FOLDER MODEL=smollm2 J=FOLDER bash study.sh
#
# W      where to write
# MODEL  the folder that `rlve model` makes of SmolLM2-135M-Instruct
# J      where c16.jsonl and held_1250.jsonl are; README.md says how they are made
# TOTAL  seconds after which everything is told to stop
R=${R:-python3 -m rlve}; TOTAL=${TOTAL:-470}
mkdir -p $W/logs $W/evals; cd $W; T0=$(date +%s)
left() { echo $(( T0 + TOTAL - $(date +%s) )); }
go() { # name, seconds, command...
  local name=$1 most=$2; shift 2
  echo "$(( $(date +%s) - T0 )) $name begun" >> status
  echo "$R $*" > logs/$name.log
  timeout --foreground -k 25 -s TERM $most $R "$@" >> logs/$name.log 2>&1 < /dev/null
  echo "$(( $(date +%s) - T0 )) $name ended $?" >> status
}
model() { ls -d $W/runs/$1/$2/checkpoints/step-*/model 2>/dev/null | tail -n 1; }
T="--policy.model $MODEL --policy.format chat --data.environments C16 --data.levels 0 1 --data.max-prompt-tokens 1024 --data.max-answer-tokens 512 --validation.every 0 --run.checkpoint-every 100000 --run.keep-checkpoints 1 --run.samples-every 100 --run.sampled-groups 16"
teach() { local way=$1 seed=$2 most=$3; shift 3; go $way-$seed $most teach $T "$@" --run.seed $seed --run.folder runs/$way/$seed; rm -f runs/$way/$seed/checkpoints/*/tensors.pt; }
ask() { local m=$(model $1 $2); [ -n "$m" ] && go eval-$1-$2 $(left) eval -m $m --suite $J/c16.jsonl --suite $J/held_1250.jsonl -n 1 --temperature 0.6 --max-tokens 512 --concurrency 256 --workers 2 --folder evals/$1-$2; }
L="--policy.format chat --data.max-prompt-tokens 1024 --rollout.problems 16 --rollout.oversample 24 --rollout.rounds 1 --rollout.group 16 --rollout.max-tokens 512 --rollout.slots 256 --rollout.memory 0.1 --update.learning-rate 2e-5 --update.warmup-steps 5 --update.micro-batch-tokens 4096 --validation.temperatures 0.6 --run.checkpoint-every 100000 --run.keep-checkpoints 1 --run.samples-every 20 --run.sampled-groups 16 --run.workers 2"
rl() { local m=$(model $1 $2); [ -n "$m" ] && go rl-$1-$2 $(left) train --preset model --policy.model $m $L --data.environments C16 --validation.levels 0 1 2 3 4 --validation.problems 8 --validation.every 40 --run.steps 80 --run.seed $2 --run.folder runs/rl-$1/$2; }
STUCK="ABProgramSimulation AdditionTable BinaryTreeLeafNumExpectation Cinema Differentiate FBI_BinaryTree MaxGridPathIntersection MaxMultSplit MinNonsubstring MinSwapTwoPermutations MinXorPair PalindromicSubstringNumberCounting"
unstick() { local m=$(model light $2); [ -n "$m" ] && go $1-$2 $(left) train --preset model --policy.model $m $L --data.environments $STUCK --rollout.signal correct --rollout.$1 --validation.levels 0 1 2 --validation.problems 12 --validation.every 30 --run.steps 60 --run.seed $2 --run.folder runs/$1/$2; }
for s in 0 1; do
  ( teach light $s 200 --policy.gradient-checkpointing --data.worked where-possible --data.examples 64 --update.micro-batch-tokens 8192 --update.schedule-steps 500 --run.steps 140 --run.workers 1
    rl light $s & unstick hints $s & unstick no-hints $s & wait ) &
  ( teach thorough $s 260 --policy.gradient-checkpointing --data.worked where-possible --data.examples 64 --update.micro-batch-tokens 8192 --run.steps 400 --run.workers 1; rl thorough $s ) &
  ( teach worked $s 300 --policy.gradient-checkpointing --data.worked where-possible --data.examples 32 --update.micro-batch-tokens 8192 --run.steps 220 --run.workers 1; ask worked $s ) &
  ( teach answers $s 440 --policy.no-gradient-checkpointing --data.worked off --data.examples 496 --update.micro-batch-tokens 16384 --run.steps 220 --run.workers 2; ask answers $s ) &
done
wait; echo "$(( $(date +%s) - T0 )) all" >> status; touch over
