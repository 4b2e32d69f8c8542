"""Faults on purpose: what a bad day does to a run, an evaluation, a pool and a sandbox.

Each scenario draws its faults from a seed, lets them happen, and then checks what must hold all the
same: nothing is lost, nothing is doubled, what was resumed ends as if nothing had happened, and no
process and no folder is left behind. `make soak` draws scenarios for an hour; test_faults.py runs
each of them once.
"""
