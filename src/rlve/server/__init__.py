"""The gym and its runs over HTTP.

    rlve serve     problems, verdicts and curricula for trainers on other machines: service.py, and
                   client.py, which looks like a Pool and a Stream to a trainer
    rlve studio    environments, runs, rollouts and evaluations in a browser: studio/

guard.py keeps strangers out of both; listener.py starts and stops them.
"""
