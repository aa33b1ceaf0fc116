"""What is compared: instances, policies, their parameters, spans of rounds and goals."""

from dataclasses import dataclass

from .instances import Instance

POLICIES = ("ucb", "ts", "up_ucb_bl", "up_ucb", "up_ucb_l_bl", "up_ucb_l")
UNKNOWN_SETS = ("up_ucb_l_bl", "up_ucb_l")

# The two groups of yardsticks. The goals are set against the first.
STRAIGHTFORWARD, STRONGEST = "straightforward", "strongest"

# alpha, and sigma2 for ts: the values chosen in the paper.
PARAMETERS = {
    "gaussian": dict(zip(POLICIES, (2.0, 0.08, 5.0, 3.0, 5.0, 3.0))),
    "criteo": dict(zip(POLICIES, (7e-7, 2e-7, 8e-5, 8e-5, 5e-7, 2e-6))),
}

# How many times the rate of the best straightforward yardstick Updraft should reach.
GOALS = {
    "gaussian": dict(zip(POLICIES, (20, 20, 20, 20, 10, 10))),
    "criteo": dict(zip(POLICIES, (20, 20, 20, 20, 20, 30))),
}


@dataclass
class Case:
    instance: Instance
    policy: str

    def __post_init__(self):
        name = self.instance.name
        self.parameter = PARAMETERS[name][self.policy]
        self.goal = GOALS[name][self.policy]

    @property
    def name(self):
        return f"{self.instance.name}/{self.policy}"

    @property
    def spec(self):
        """The policy as Updraft is told it."""
        parameter = "sigma2" if self.policy == "ts" else "alpha"
        return f"{self.policy}({parameter}={self.parameter!r})"

    @property
    def span(self):
        """The rounds 0, 1, ..., span - 1 are timed, from a fresh start."""
        if not self.instance.binary:
            return 20000
        return 2000 if self.policy in UNKNOWN_SETS else 5000

    @property
    def checked_rounds(self):
        """How many rounds of Updraft's are replayed."""
        return 600 if self.instance.binary else 20000
