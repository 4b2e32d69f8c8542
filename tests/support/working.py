"""Reading what a helper of rlve.work writes."""

from rlve.rules.worked import line_faults


def run(work):
    """The lines that a helper yields, and what it returns."""
    lines = []
    try:
        while True:
            lines.append(next(work))
    except StopIteration as end:
        return lines, end.value


def checked(work, *given):
    """What a helper returns, if its lines follow from what is given."""
    lines, result = run(work)
    faults = list(line_faults(" ".join(map(str, given)), [*lines, "Answer:"]))
    assert not faults, (faults[0], lines)
    return result
