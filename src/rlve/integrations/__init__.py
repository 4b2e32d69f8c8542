"""The gym and its curriculum inside the trainers people already run.

Each module adapts one library and is imported only by those who use it. What they share:

    gym.py        problems out, verdicts in, one curriculum between
    libraries.py  says which library or version is missing, and how to install it
"""
