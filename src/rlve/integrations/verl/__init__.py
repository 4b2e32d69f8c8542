"""verl trains, on Ray and on any number of nodes; the gym deals problems and counts verdicts.

verl is given three things, by their paths in its configuration, and is not changed:

    dataset.py        deals problems from the live curriculum; verl's checkpoints hold its state
    reward.py         judges one output, in verl's reward workers
    replay_buffer.py  sees every finished group before it is trained on or dropped, counts it, and
                      closes the curriculum's step when a batch is full

What they share stands in ledger.py: the gym, and which groups it has counted. recipe.py writes the
paper's settings in verl's terms, and launch.py makes the command of it (`rlve verl`).

Dataset and replay buffer live in one process, the one that drives the training. So there is one
curriculum, whatever the number of ranks.
"""
