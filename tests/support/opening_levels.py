"""A model of how curricula over pairs open levels, written without looking at theirs."""

from support.curriculum_traces import LOW_HIGHEST, NAMES


class Opening:
    """Levels 0 to high are open; the next opens when enough of tau_num rollouts were correct."""

    def __init__(self, opening, tau_num):
        self.opening, self.tau_num = opening, tau_num
        self.high = dict.fromkeys(NAMES, 0)
        self.outcomes = {name: [] for name in NAMES}

    def hear(self, name, difficulty, correct, _):
        if difficulty == self.high[name]:
            self.outcomes[name] += correct

    def step(self):
        for name, outcomes in self.outcomes.items():
            if len(outcomes) < self.tau_num:
                continue
            self.outcomes[name] = []
            ended = name == "Low" and self.high[name] == LOW_HIGHEST
            if not ended and sum(outcomes) / len(outcomes) >= self.opening:
                self.high[name] += 1

    def pairs(self):
        return [(name, level) for name in NAMES for level in range(self.high[name] + 1)]
