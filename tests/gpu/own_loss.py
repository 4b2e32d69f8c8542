"""A loss of one's own, as --update.loss names it."""

from rlve.train.loss import PolicyLoss

# With one update per step, what CISPO maximises.
LOSS = PolicyLoss(
    "REINFORCE",
    "without ratios or clipping",
    lambda tokens, config: (tokens.advantage * tokens.new, tokens.ratio > tokens.ratio),
    normalisation="nothing",
)
