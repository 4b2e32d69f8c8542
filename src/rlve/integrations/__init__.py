"""The gym and its curriculum inside the trainers people already use.

Each module adapts one library and is imported only by those who use it. They share rlve.gym and

    replies.py   what comes back to a message, for libraries that ask turn by turn
    recipe.py    the paper's training recipe, for the launchers of slime and verl
    failures.py  the reward of a rollout that could not be judged
    scores.py    what evaluation frameworks report on one output
"""
