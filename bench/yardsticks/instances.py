"""Reads an instance as Updraft exports it and lays it out as arrays."""

import json
from dataclasses import dataclass

import numpy as np


@dataclass
class Instance:
    name: str
    baseline: np.ndarray  # [variable]
    means: np.ndarray  # [action, variable]
    affected: np.ndarray  # [action, variable], true where the action moves the variable
    shared: float  # correlation of any two variables' noise (gaussian), 0 for 0/1 payoffs
    binary: bool  # payoffs are 0 or 1

    def __post_init__(self):
        self.actions, self.variables = self.means.shape
        self.set_sizes = self.affected.sum(axis=1)
        self.max_affected = int(self.set_sizes.max())
        rewards = self.means.sum(axis=1)
        self.rewards = rewards
        self.prior_mean = float(rewards.mean())
        self.prior_variance = float(rewards.var())
        self.sets = [np.flatnonzero(row) for row in self.affected]
        self.set_baselines = np.array([self.baseline[ids].sum() for ids in self.sets])
        if self.affected.all(axis=0).any():
            raise SystemExit(f"compare.py: {self.name}: some variable is moved by every action")
        if self.binary:
            self._read_clusters()

    def atoms(self):
        """The ids of variables moved by the same actions, group by group; not of unmoved ones."""
        _, group = np.unique(self.affected, axis=1, return_inverse=True)
        atoms = [np.flatnonzero(group == g) for g in range(group.max() + 1)]
        return [ids for ids in atoms if self.affected[:, ids[0]].any()]

    def _read_clusters(self):
        """0/1 instances: action c moves cluster c, a range of variables with one rate."""
        self.starts = np.array([ids[0] for ids in self.sets])
        self.ends = np.append(self.starts[1:], self.variables)
        self.cluster_sizes = self.ends - self.starts
        self.untreated = self.baseline[self.starts]
        self.treated = np.array([self.means[c, ids[0]] for c, ids in enumerate(self.sets)])
        plain = all(
            np.array_equal(ids, np.arange(self.starts[c], self.ends[c]))
            and (self.baseline[ids] == self.untreated[c]).all()
            and (self.means[c, ids] == self.treated[c]).all()
            for c, ids in enumerate(self.sets)
        )
        if self.starts[0] != 0 or not plain:
            raise SystemExit(f"compare.py: {self.name}: each action must move one own cluster")
        self.cluster_rates = np.tile(self.untreated, (self.actions, 1))  # [action, cluster]
        np.fill_diagonal(self.cluster_rates, self.treated)


def parse(text):
    """The instance of Updraft's export."""
    document = json.loads(text)
    counts = [run["count"] for run in document["variables"]]
    baseline = np.repeat([float(run["baseline"]) for run in document["variables"]], counts)
    means = np.tile(baseline, (len(document["actions"]), 1))
    for effect in document["effects"]:
        action = document["actions"].index(effect["action"])
        ids = np.concatenate([np.arange(*bounds) for bounds in effect["variables"]])
        means[action, ids] = effect["mean"] if "mean" in effect else effect["means"]
    noise = document["noise"]
    binary = noise["kind"] == "bernoulli"
    shared = 0.0
    if not binary:
        if noise.get("variance", 1) != 1 or "factor" not in noise["covariance"]:
            raise SystemExit(f"compare.py: {document['name']}: noise is not equicorrelated")
        shared = float(noise["covariance"]["factor"])
    return Instance(document["name"], baseline, means, means != baseline, shared, binary)
