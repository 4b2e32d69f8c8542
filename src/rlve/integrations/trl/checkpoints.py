"""The gym's state in TRL's own checkpoints."""

from typing import Any

from rlve.errors import UserError
from rlve.gym import Gym


def checkpoint_callback(gym: Gym) -> Any:
    """A callback that keeps the gym's state in trainer_state.json, and resumes from it."""
    from transformers import TrainerCallback
    from transformers.trainer_callback import ExportableState

    class RlveState(TrainerCallback, ExportableState):
        """Takes the gym from its scope: transformers may create another one without arguments."""

        def state(self) -> dict[str, Any]:
            return {"args": {}, "attributes": {"gym": gym.state_dict()}}

        def on_train_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
            if state.global_step == 0:
                return
            saved = state.stateful_callbacks.get(RlveState.__name__)
            if saved is None:
                raise UserError(
                    "the checkpoint was not made by rlve_trainer or rlve_environments: it has no "
                    "curriculum"
                )
            gym.load_state_dict(saved["attributes"]["gym"])

    return RlveState()
