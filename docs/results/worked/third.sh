# The third round, all runs at once on one GPU under NVIDIA's MPS: W=FOLDER MODEL=smollm2 J=FOLDER bash third.sh
#
# W      where to write
# MODEL  the folder that `rlve model` makes of SmolLM2-135M-Instruct
# J      where c16_78.jsonl and held_1250.jsonl are; README.md says how they are made
# TEACH  seconds after which teaching is told to stop, TOTAL after which everything is
R=${R:-python3 -m rlve}; START=$(date +%s); TEACH=${TEACH:-520}; TOTAL=${TOTAL:-660}
mkdir -p $W/logs $W/evals; cd $W
go() { # seconds after the start, name, command...
  local until=$1 name=$2; shift 2
  timeout --foreground -k 20 -s TERM $(( START + until - $(date +%s) )) $R "$@" > logs/$name.log 2>&1 < /dev/null
}
both() { # way, seed, options...
  local way=$1 seed=$2; shift 2
  go $TEACH $way-$seed teach --policy.model $MODEL --policy.format chat --data.environments C16 --data.levels 0 1 --data.max-prompt-tokens 1024 --data.max-answer-tokens 1024 --update.learning-rate 5e-4 --update.micro-batch-tokens 16384 --policy.no-gradient-checkpointing --validation.every 0 --run.checkpoint-every 100000 --run.keep-checkpoints 1 --run.workers 2 --run.steps ${STEPS:-2000} "$@" --run.seed $seed --run.folder $way/$seed
  go $TOTAL eval-$way-$seed eval -m $(ls -d $way/$seed/checkpoints/step-*/model | tail -n 1) --suite $J/c16_78.jsonl --suite $J/held_1250.jsonl -n 1 --temperature 0.6 --max-tokens ${TOKENS:-1024} --concurrency 256 --workers 2 --folder evals/$way-$seed
}
for seed in 0 1; do
  both worked $seed --data.worked where-possible --data.examples ${X:-32} &
  both answers $seed --data.worked off --data.examples ${Y:-63} &
done; wait
