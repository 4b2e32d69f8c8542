"""verl trains, with Ray on any number of nodes; the gym supplies problems and counts verdicts.

verl itself is not changed. Its configuration names three things by their paths, and the rows of
the data set name the fourth:

    dataset.py        draws problems from the live curriculum; verl's checkpoints hold its state
    reward.py         judges one output, in verl's reward workers
    replay_buffer.py  counts every finished group before it is trained on or dropped, and ends the
                      curriculum's step when a batch is full
    agent_loop.py     carries the conversation with a problem that answers back

They share ledger.py: the gym, and which groups it has counted. recipe.py writes the paper's
settings in verl's terms, and launch.py turns them into a command (`rlve verl`).

Dataset and replay buffer live in the one process that drives the training. So there is one
curriculum, whatever the number of ranks.
"""
