"""The gym and its curriculum inside the trainers people already use.

Each module adapts one library and is imported only by those who use it. They share rlve.gym and

    replies.py   what comes back to a message, for libraries that ask turn by turn
    recipe.py    the paper's training recipe, for the launchers of slime and verl
    rewards.py   plain reward functions over the rows of `rlve dataset`
    scores.py    what evaluation frameworks report on one output
"""
