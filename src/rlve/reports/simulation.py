"""The page that shows a simulation: one HTML file with its pictures inside."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from html import escape

from rlve.reports.pages import count, document, picture, table
from rlve.studies.simulation import Plan, Record, Summary

SUMMARY_HEADINGS = (
    "setting",
    "h at the end",
    "range of h",
    "accuracy at h",
    "effective prompts",
    "over the whole run",
    "skill",
)


def summary_row(summary: Summary) -> tuple[str, ...]:
    """What the table of settings says about one of them, under SUMMARY_HEADINGS."""
    accuracy = summary.accuracy_at_high
    return (
        summary.setting,
        f"{summary.high_mean:.2f}",
        f"{summary.high_min} to {summary.high_max}",
        "-" if accuracy is None else f"{accuracy:.1%}",
        f"{summary.effective_at_end:.1%}",
        f"{summary.effective:.1%}",
        f"{summary.skill_mean:.2f}",
    )


def page(
    plan: Plan,
    history: Mapping[str, Sequence[Record]],
    summaries: Sequence[Summary],
    overview: bytes,
    by_environment: bytes,
) -> str:
    """The page as text; the pictures are PNG files."""
    steps = len(next(iter(history.values())))
    policy = plan.policy
    redrawn = sum(summary.redrawn for summary in summaries)
    spends = plan.problems * plan.rollouts * steps
    ended = {label: records[-1] for label, records in history.items()}
    per_environment = [
        (name, *(f"{record.high[i]} / {record.skill[i]:.1f}" for record in ended.values()))
        for i, name in enumerate(plan.names)
    ]
    body = [
        "<h1>Simulated curricula</h1>",
        f"<p>{steps:,} steps of {plan.problems:,} problems with {plan.rollouts:,} rollouts each, "
        f"{spends:,} rollouts per setting, over {count(len(plan.names), 'environment')}; "
        f"seed {plan.seed}. {redrawn:,} draws gave no problem, and were made again.</p>",
        "<h2>Settings side by side</h2>",
        table(SUMMARY_HEADINGS, map(summary_row, summaries)),
        "<p>Accuracy at h and effective prompts are those of the last tenth of the run. The "
        "effective prompt ratio is the share of prompts whose group has non-identical rewards: "
        "what is not effective was sampled for nothing. Skill is the difficulty of which the "
        "policy solves half, on average over environments.</p>",
        "<h2>Over the run</h2>",
        picture(overview, "h, accuracy at h, effective prompt ratio and skill over the run"),
        "<h2>Environment by environment</h2>",
        picture(by_environment, "h and skill over the run, by environment"),
        "<h2>The end of the run, by environment</h2>",
        "<p>h / skill.</p>",
        table(("environment", *ended), per_environment),
        "<h2>What is real and what is assumed</h2>",
        "<p>Problems, verdicts and curricula are real. The policy is one number per environment, "
        "its skill. It answers with the reference with the chance "
        f"1 / (1 + exp((d - skill) / {policy.width:g})), and otherwise with one of four "
        "corrupted references; the verifier judges all, and what it accepts counts as correct. "
        "Problems of one level differ in hardness "
        f"(evenness {policy.evenness:g}; 1 would be not at all). "
        "Practice is policy gradient on the skill: a group of identical rewards teaches nothing, "
        f"one of which half is right teaches most, {policy.pace:g} levels on average. At first "
        f"the skill is {policy.skill:g}, with a standard deviation of {policy.skill_spread:g} over "
        f"environments; the logarithm of the pace has one of {policy.pace_spread:g}. "
        "Nothing carries over between environments, and nothing is forgotten. "
        "Compare settings with each other, for more than one skill and pace; "
        "do not read a forecast off a curve.</p>",
        "<details><summary>All that determines this simulation</summary>",
        f"<pre>{escape(json.dumps(asdict(plan), indent=2))}</pre></details>",
    ]
    return document("Simulated curricula", body)
