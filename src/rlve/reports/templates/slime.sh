{# A script that starts Ray, converts the weights once, and trains with slime (rlve.integrations.slime.recipe). #}
{% macro array(name, flags) %}
{{ name }}=(
{% for flag, value in flags.items() if value is not none and value is not false %}
    {{ flag }}{{ " " ~ value | string | quote if value is not true }}
{% endfor %}
)
{% endmacro %}
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
{{ array("MODEL_ARGS", model_flags) -}}
{% endif %}

{{ array("RLVE_ARGS", recipe.gym_flags()) }}
{{ array("TRAIN_ARGS", recipe.train_flags()) }}
ray status > /dev/null 2>&1 || ray start --head --num-gpus {{ recipe.gpus }} --disable-usage-stats

# slime trains from weights in Megatron's format; they are converted once.
if [ ! -e {{ (weights ~ "/latest_checkpointed_iteration.txt") | quote }} ]; then
    PYTHONPATH={{ recipe.megatron | string | quote }} python3 tools/convert_hf_to_torch_dist.py "${MODEL_ARGS[@]}" --hf-checkpoint {{ model | quote }} --save {{ weights | string | quote }}
fi

ray job submit --address=http://127.0.0.1:8265 {{ ("--runtime-env-json=" ~ {"env_vars": recipe.variables()} | json) | quote }} \
    -- python3 train.py --actor-num-nodes {{ recipe.nodes }} --actor-num-gpus-per-node {{ recipe.gpus }} --num-gpus-per-node {{ recipe.gpus }} --colocate \
    "${MODEL_ARGS[@]}" "${RLVE_ARGS[@]}" "${TRAIN_ARGS[@]}"
