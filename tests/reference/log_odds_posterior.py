"""Mixing log-odds by Bayesian logistic regression, as literally as it is described; two classes."""

import math

import numpy as np

FAR = 10.0
BIAS_VARIANCE = 0.1


def sigmoid(a):
    return 1.0 / (1.0 + math.exp(-a))


class ReferenceLogOddsPosterior:
    """One Gaussian belief about (weights, bias) per prior variance, each heard by its posterior."""

    def __init__(self, n_members, prior_variances):
        self.means, self.covariances, self.log_likelihood = [], [], []
        for variance in prior_variances:
            self.means.append(np.append(np.full(n_members, 1.0 / n_members), 0.0))
            self.covariances.append(np.diag(np.append(np.full(n_members, variance), BIAS_VARIANCE)))
            self.log_likelihood.append(0.0)

    def inputs(self, votes):
        most = math.tanh(FAR / 2.0)
        return np.append(2.0 * np.arctanh(np.clip(votes, -most, most)), 1.0)

    def chances(self, votes):
        z = self.inputs(votes)
        beliefs = zip(self.means, self.covariances, strict=True)
        return [sigmoid(m @ z / math.sqrt(1.0 + math.pi * (z @ S @ z) / 8.0)) for m, S in beliefs]

    def score(self, votes):
        heard = np.exp(np.array(self.log_likelihood) - max(self.log_likelihood))
        p = heard @ np.array(self.chances(votes)) / heard.sum()
        return 0.5 * math.log(p / (1.0 - p))

    def learn(self, votes, y, weight):
        z = self.inputs(votes)
        sign = 1.0 if y == 1 else -1.0
        for v, chance in enumerate(self.chances(votes)):
            self.log_likelihood[v] += weight * math.log(chance if y == 1 else 1.0 - chance)
            mean, covariance = self.means[v], self.covariances[v]
            m, variance = mean @ z, z @ covariance @ z
            low, high = sign * m, sign * m + variance * weight
            for _ in range(200):  # the most probable margin, by halving
                middle = 0.5 * (low + high)
                if middle < sign * m + variance * weight * sigmoid(-middle):
                    low = middle
                else:
                    high = middle
            s = sigmoid(-low)
            curvature = weight * s * (1.0 - s)
            self.means[v] = mean + weight * sign * s * (covariance @ z)
            inverse = np.linalg.inv(covariance) + curvature * np.outer(z, z)
            self.covariances[v] = np.linalg.inv(inverse)
