"""The rules every environment must keep, which any environment can be checked against.

    from rlve.rules import check
    for rule, complaint in check(MyEnvironment):
        print(f"{rule}: {complaint}")

A rule is a function that examines a `Subject`, an environment with the problems it makes at some
levels, and yields all its complaints, not only the first. The tests run the rules on all
environments. `rlve check` runs them on any environment, in the workers of a pool
(rlve.rules.checks), so that even code that never returns is reported.
"""

from rlve.rules.checks import check, check_all
from rlve.rules.subject import Complaint, Subject
from rlve.rules.table import RULES, Rule, select

__all__ = ["RULES", "Complaint", "Rule", "Subject", "check", "check_all", "select"]
