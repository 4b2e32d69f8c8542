"""Print the folder with the tasks, for --include_path of lm_eval."""

from rlve.integrations.lm_eval import TASKS

print(TASKS)  # noqa: T201
