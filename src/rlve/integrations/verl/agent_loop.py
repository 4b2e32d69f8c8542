"""An agent loop for verl: a conversation with a problem that answers back.

The data set names it in its rows, if one of its environments is a dialogue. verl's server samples
each message; the problem's replies are appended as the chat template writes them, so that no token
of the model is tokenised again, and are masked, so that only the model's own tokens train.
"""

from functools import partial
from typing import Any, Final
from uuid import uuid4

import msgspec

from rlve.datasets.transfer import TravellingRow
from rlve.dialogue import Dialogue, Reply, conversation
from rlve.errors import require
from rlve.formats import prompt_format
from rlve.gym import GymSettings
from rlve.integrations.replies import reply_to
from rlve.integrations.verl.reward import compute_score
from rlve.pool import shared_pool

require("verl", extra="verl", at_least="0.9.1", below="0.10")

from verl.experimental.agent_loop.agent_loop import (  # noqa: E402
    AgentLoopBase,
    AgentLoopMetrics,
    AgentLoopOutput,
    register,
)

AGENT: Final = "rlve"  # by which rows name this loop


@register(AGENT)
class ConversationLoop(AgentLoopBase):
    """Message and reply in turn, until it is over or there is no room left."""

    async def run(self, sampling_params: dict[str, Any], **columns: Any) -> AgentLoopOutput:
        truth, extra = columns["reward_model"]["ground_truth"], columns["extra_info"]
        row = msgspec.json.decode(truth, type=TravellingRow)
        problem, pool = row.problem(), shared_pool(deadline=extra["deadline"])
        turns = list(columns["raw_prompt"])
        tokens = await self.ct_build_initial_tokens(turns)
        prompt, room = len(tokens), self.rollout_config.response_length
        request = uuid4().hex  # the same for all turns, so that the server finds its cache
        mask: list[int] = []
        logprobs: list[float] | None = [] if sampling_params.get("logprobs") else None
        messages: list[str] = []
        fields: dict[str, Any] = {}
        while True:
            limit = {"max_tokens": room - len(mask)}
            output = await self.server_manager.generate(
                request_id=request, prompt_ids=tokens, sampling_params=sampling_params | limit
            )
            # Which versions of the policy sampled it: from that of the first turn to the last's.
            fields = output.extra_fields | {
                name: value for name, value in fields.items() if name != "max_global_steps"
            }
            merged, mask, logprobs = await self.ct_merge_assistant_token(
                tokens,
                output.token_ids,
                mask,
                logprobs,
                None if logprobs is None else output.log_probs,
            )
            tokens = merged.token_ids
            messages.append(self.tokenizer.decode(output.token_ids, skip_special_tokens=True))
            ask = partial(reply_to, problem, messages, pool=pool, marker=row.marker or "any")
            reply = await self.loop.run_in_executor(None, ask)
            if not isinstance(reply, Reply) or reply.verdict is not None:
                break  # it is over, or judging it will say what is wrong
            before = [*turns, {"role": "assistant", "content": messages[-1]}]
            turns = [*before, {"role": "user", "content": reply.text}]
            tokens, mask, logprobs = await self._told(before, turns, tokens, mask, logprobs)
            if len(mask) >= room:
                break
        said = conversation(messages) if isinstance(problem, Dialogue) else messages[0]
        judge = partial(compute_score, columns["data_source"], said, truth, extra)
        report = await self.loop.run_in_executor(None, judge)
        return AgentLoopOutput(
            prompt_ids=tokens[:prompt],
            response_ids=tokens[prompt:][:room],
            response_mask=mask[:room],
            response_logprobs=None if logprobs is None else logprobs[:room],
            reward_score=report["score"],
            num_turns=2 * len(messages),
            metrics=AgentLoopMetrics(),
            extra_fields=fields
            | {"reward_extra_info": report, "turn_scores": [], "tool_rewards": []},
        )

    async def _told(
        self,
        before: list[dict[str, str]],
        turns: list[dict[str, str]],
        tokens: list[int],
        mask: list[int],
        logprobs: list[float] | None,
    ) -> tuple[list[int], list[int], list[float] | None]:
        """Append the reply, as the format or the chat template writes it."""
        format = prompt_format(self.data_config.rlve.get("format", GymSettings.format))
        if isinstance(format.wrap(""), str):
            after = format.follow("", "", turns[-1]["content"])
            added = list(self.tokenizer(after, add_special_tokens=False)["input_ids"])
            mask = [*mask, *(0 for _ in added)]
            logprobs = None if logprobs is None else [*logprobs, *(0.0 for _ in added)]
            return tokens + added, mask, logprobs
        merged, mask, logprobs = await self.ct_merge_context_msg(
            before, turns, tokens, mask, logprobs
        )
        return merged.token_ids, mask, logprobs
