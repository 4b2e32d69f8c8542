"""The gym and its runs over HTTP.

    rlve serve     problems and verdicts for trainers on other machines: service.py
    rlve studio    environments, runs, rollouts and evaluations in a browser: studio/

guard.py keeps strangers out of both; listener.py starts and stops them.
"""
