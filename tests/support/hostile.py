"""Outputs of a model that is up to no good."""

HOSTILE = {
    "huge": "x" * 20_000_000,
    "markers": "<answer>" * 500_000,
    "digits": f"<answer>{'9' * 1_000_000}</answer>",
    "surrogate": "\ud800<answer>\udfff</answer>",
    "controls": "\x00\x1b]0;PWN\x07<answer>\x9b</answer>",
    "empty": "",
}
