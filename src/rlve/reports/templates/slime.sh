{# A script that starts Ray, converts the weights once, and trains with slime (rlve.integrations.slime.recipe). #}
#!/bin/bash
# Trains {{ recipe.model }} with slime on {{ recipe.nodes }} x {{ recipe.gpus }} GPUs.
# Run it on the first node; run it again to resume from the last checkpoint.
{% if recipe.nodes > 1 %}
# Before that, on every other node: ray start --address=THIS_NODE:6379 --num-gpus {{ recipe.gpus }} --disable-usage-stats
{% endif %}
set -euo pipefail
cd {{ recipe.slime | string | quote }}

{% if recipe.model_script %}
source {{ recipe.model_script | string | quote }}
{% else %}
MODEL_ARGS=(
{% for flag, value in model_flags.items() if value is not none and value is not false %}
    {{ flag }}{{ " " ~ value | string | quote if value is not true }}
{% endfor %}
)
{% endif %}

# Problems, verdicts, the curriculum and sampling; one update for each batch.
RLVE_ARGS=(
    --data-source-path rlve.integrations.slime.DataSource
    --custom-rm-path rlve.integrations.slime.rm
    --rollout-all-samples-process-path rlve.integrations.slime.count_samples
    --dynamic-sampling-filter-path rlve.integrations.slime.keep_group
    --num-rollout {{ recipe.steps }}
    --rollout-seed {{ recipe.seed }}
    --rollout-batch-size {{ recipe.problems }}
    --over-sampling-batch-size {{ recipe.oversample }}
    --n-samples-per-prompt {{ recipe.group }}
    --global-batch-size {{ recipe.problems * recipe.group }}
    --rollout-max-prompt-len {{ recipe.max_prompt_tokens }}
    --rollout-max-response-len {{ recipe.max_tokens }}
    --rollout-temperature {{ recipe.temperature }}
{% if recipe.partial %}
    --partial-rollout
{% endif %}
)

# DAPO, AdamW, and the work spread over GPUs.
TRAIN_ARGS=(
    --hf-checkpoint {{ model | quote }}
    --ref-load {{ weights | string | quote }}
    --load {{ checkpoints | string | quote }}
    --save {{ checkpoints | string | quote }}
    --save-interval {{ recipe.checkpoint_every }}
    --advantage-estimator grpo
    --eps-clip 0.2
    --eps-clip-high 0.28
    --entropy-coef 0.0
    --use-tis
    --tis-clip 2.0
{% if recipe.aggregation == "token" %}
    --calculate-per-token-loss
{% endif %}
    --optimizer adam
    --lr {{ recipe.learning_rate }}
    --lr-decay-style constant
    --weight-decay 0.01
    --adam-beta1 0.9
    --adam-beta2 0.98
    --tensor-model-parallel-size {{ recipe.tensor_parallel }}
{% if recipe.tensor_parallel > 1 %}
    --sequence-parallel
{% endif %}
    --recompute-granularity full
    --recompute-method uniform
    --recompute-num-layers 1
    --use-dynamic-batch-size
    --max-tokens-per-gpu {{ recipe.tokens_per_gpu or recipe.max_prompt_tokens + recipe.max_tokens }}
    --log-probs-chunk-size 1024  # tokens whose logits are made at a time: 0.6 GB at a vocabulary of 151,936
    --balance-data
    --rollout-num-gpus-per-engine {{ recipe.engine_gpus }}
    --sglang-mem-fraction-static {{ recipe.memory }}
    --attention-dropout 0.0
    --hidden-dropout 0.0
    --accumulate-allreduce-grads-in-fp32
    --attention-softmax-in-fp32
    --attention-backend flash
)

ray status > /dev/null 2>&1 || ray start --head --num-gpus {{ recipe.gpus }} --disable-usage-stats

# slime trains from weights in Megatron's format; they are converted once.
if [ ! -e {{ (weights ~ "/latest_checkpointed_iteration.txt") | quote }} ]; then
    PYTHONPATH={{ recipe.megatron | string | quote }} python3 tools/convert_hf_to_torch_dist.py "${MODEL_ARGS[@]}" --hf-checkpoint {{ model | quote }} --save {{ weights | string | quote }}
fi

ray job submit --address=http://127.0.0.1:8265 {{ ("--runtime-env-json=" ~ {"env_vars": recipe.variables()} | json) | quote }} \
    -- python3 train.py --actor-num-nodes {{ recipe.nodes }} --actor-num-gpus-per-node {{ recipe.gpus }} --num-gpus-per-node {{ recipe.gpus }} --colocate \
    "${MODEL_ARGS[@]}" "${RLVE_ARGS[@]}" "${TRAIN_ARGS[@]}"
