"""c2_up_ucb for targeting in numpy, and in numpy with scikit-learn.

Every yardstick keeps what Updraft keeps: V(z) = lambda I + the sum of x x' over those who got z,
and a model for each treatment z, 0 being none. It chooses by
    max over z of mean(z, x) + beta ||x|| in the norm of V(z)^-1, less the same for z = 0.
All treatments go through each product together.
"""

import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.linear_model import LogisticRegression

BLOCK = 8192  # individuals scored at a time
GRADIENT_NORM = 1e-6  # where Updraft's exact fits end


class Yardstick:
    """What linear and logistic models share. Widths by the inverses of all V(z), side by side."""

    def __init__(self, shape, beta, ridge=1.0):
        self.shape, self.beta, self.ridge = shape, beta, ridge
        self.start()

    def start(self):
        models, width = self.shape.treatments + 1, self.shape.features
        self.spread = np.tile(self.ridge * np.eye(width), (models, 1, 1))
        self.theta = np.zeros((models, width))
        self.refresh()

    def refresh(self):
        self.inverse = np.linalg.inv(self.spread)
        self.side = self.inverse.transpose(1, 0, 2).reshape(self.shape.features, -1)

    def widths(self, pool):
        products = (pool @ self.side).reshape(len(pool), -1, self.shape.features)
        return np.sqrt(np.einsum("izf,if->zi", products, pool))

    def means(self, pool):
        return self.theta @ pool.T

    def indices(self, pool):
        """[treatment - 1, individual]"""
        upper = self.means(pool) + self.beta * self.widths(pool)
        return upper[1:] - upper[0]

    def best(self, pool):
        """Of each individual: the best treatment and its index."""
        index = self.indices(pool)
        if len(index) == 1:
            return 1, index[0]
        treatment = index.argmax(axis=0)
        return treatment + 1, index[treatment, np.arange(len(pool))]

    def best_of_many(self, pool):
        """The same by blocks that fit into the cache, on two threads."""
        blocks = np.array_split(pool, -(-len(pool) // BLOCK))
        with ThreadPoolExecutor(2) as threads:
            parts = list(threads.map(self.best, blocks))
        return (np.concatenate(part) for part in zip(*parts))

    def choose(self, pool):
        treatment, index = (self.best if len(pool) <= BLOCK else self.best_of_many)(pool)
        top = np.argpartition(index, -self.shape.budget)[-self.shape.budget :]
        top = top[index[top] > 0.0]
        treated = np.zeros(len(pool), dtype=np.uint32)
        treated[top] = treatment if np.isscalar(treatment) else treatment[top]
        return treated

    def observe(self, pool, treated, payoffs):
        for z in range(self.shape.treatments + 1):
            mine = treated == z
            rows = pool[mine]
            self.spread[z] += rows.T @ rows
            self.learn(z, rows, payoffs[mine])
        self.refresh()
        self.fit()


class Linear(Yardstick):
    title = "numpy, inverses"

    def start(self):
        self.moments = np.zeros((self.shape.treatments + 1, self.shape.features))
        super().start()

    def observe(self, pool, treated, payoffs):
        """What the untreated add is what all add, less what the treated do."""
        outer, moments = pool.T @ pool, payoffs @ pool
        for z in range(1, self.shape.treatments + 1):
            mine = np.flatnonzero(treated == z)
            rows = pool[mine]
            outer_z, moments_z = rows.T @ rows, payoffs[mine] @ rows
            self.spread[z] += outer_z
            self.moments[z] += moments_z
            outer -= outer_z
            moments -= moments_z
        self.spread[0] += outer
        self.moments[0] += moments
        self.refresh()
        self.fit()

    def fit(self):
        self.theta = (self.inverse @ self.moments[:, :, None])[:, :, 0]


class LinearStraightforward(Linear):
    """As one writes it down: treatment by treatment, each by whole arrays."""

    title = "numpy, straightforward"

    def refresh(self):
        self.inverses = [np.linalg.inv(spread) for spread in self.spread]

    def widths(self, pool):
        return np.sqrt([((pool @ inverse) * pool).sum(axis=1) for inverse in self.inverses])

    def observe(self, pool, treated, payoffs):
        for z in range(self.shape.treatments + 1):
            rows = pool[treated == z]
            self.spread[z] += rows.T @ rows
            self.moments[z] += payoffs[treated == z] @ rows
        self.refresh()
        self.fit()

    def fit(self):
        for z, inverse in enumerate(self.inverses):
            self.theta[z] = inverse @ self.moments[z]


class LinearByCholesky(Linear):
    title = "numpy, Cholesky"

    def refresh(self):
        self.factors = np.linalg.cholesky(self.spread)

    def widths(self, pool):
        squares = []
        for factor in self.factors:
            root = solve_triangular(factor, pool.T, lower=True, check_finite=False)
            squares.append(np.einsum("fi,fi->i", root, root))
        return np.sqrt(squares)

    def fit(self):
        for z, factor in enumerate(self.factors):
            half = solve_triangular(factor, self.moments[z], lower=True, check_finite=False)
            self.theta[z] = solve_triangular(factor, half, lower=True, trans=1, check_finite=False)


class LogisticByNewton(Yardstick):
    """Newton's method on all rows from the last theta, to the gradient norm of Updraft's fits."""

    title = "numpy, Newton"

    def start(self):
        models = self.shape.treatments + 1
        self.rows = np.empty((models, self.shape.rows, self.shape.features))
        self.payoffs = np.empty((models, self.shape.rows))
        self.seen = [0] * models
        super().start()

    def means(self, pool):
        return 1.0 / (1.0 + np.exp(-(self.theta @ pool.T)))

    def learn(self, z, rows, payoffs):
        begin, end = self.seen[z], self.seen[z] + len(rows)
        self.rows[z, begin:end] = rows
        self.payoffs[z, begin:end] = payoffs
        self.seen[z] = end

    def fit(self):
        for z, seen in enumerate(self.seen):
            self.fit_one(z, self.rows[z, :seen], self.payoffs[z, :seen])

    def fit_one(self, z, rows, payoffs):
        theta = self.theta[z]
        for _ in range(50):
            mean = 1.0 / (1.0 + np.exp(-(rows @ theta)))
            gradient = (payoffs - mean) @ rows - self.ridge * theta
            if gradient @ gradient <= GRADIENT_NORM**2:
                break
            hessian = (rows * (mean * (1.0 - mean))[:, None]).T @ rows
            hessian.flat[:: len(theta) + 1] += self.ridge
            theta = theta + np.linalg.solve(hessian, gradient)
        self.theta[z] = theta


class LogisticBySklearn(LogisticByNewton):
    """scikit-learn from its last coefficients, to its own tolerance."""

    def __init__(self, shape, beta, solver):
        self.solver, self.title = solver, f"numpy and scikit-learn, {solver}"
        super().__init__(shape, beta)

    def start(self):
        self.models = [
            LogisticRegression(
                C=1.0 / self.ridge, fit_intercept=False, warm_start=True, solver=self.solver
            )
            for _ in range(self.shape.treatments + 1)
        ]
        super().start()

    def fit_one(self, z, rows, payoffs):
        if not 0 < payoffs.sum() < len(payoffs):  # scikit-learn refuses outcomes of one kind
            return super().fit_one(z, rows, payoffs)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of fits that were stopped by their number of steps
            self.theta[z] = self.models[z].fit(rows, payoffs).coef_[0]
        return None
