"""The slow twins reproduce the golden vectors of the specification (section G) and its checked facts."""

import math
import random
from collections.abc import Callable
from itertools import pairwise

import pytest
from tests.reference.adaboost_ol import ReferenceAdaBoostOL, ReferenceAdaBoostOLM
from tests.reference.bayes_exponential import ReferenceBayesExponential
from tests.reference.bayes_gamma import ReferenceBayesGamma
from tests.reference.bayes_gamma_shape import ReferenceBayesGammaShape
from tests.reference.class_weights import ReferenceClassWeights
from tests.reference.exp_experts import Hedge, ReferenceExpExperts
from tests.reference.feature_boost import ReferenceFeatureBoost
from tests.reference.forgetting_grid import ReferenceForgettingGrid
from tests.reference.gradient_hull import ReferenceGradientHull
from tests.reference.gradient_span import ReferenceGradientSpan
from tests.reference.independent import ReferenceIndependent
from tests.reference.interfaces import Lesson, ReferenceBooster, ReferenceEnsemble, Votes, hard, sign
from tests.reference.last import ReferenceLast
from tests.reference.losses import base_loss, labels, log_base_loss
from tests.reference.naive_bayes import ReferenceNaiveBayes
from tests.reference.ocp import ReferenceOCP
from tests.reference.ogboost import ReferenceOGBoost
from tests.reference.ogd import ReferenceOGD
from tests.reference.online_bbm import ReferenceOnlineBBM
from tests.reference.osboost import ReferenceOSBoost
from tests.reference.ozaboost import ReferenceOzaBoost
from tests.reference.perceptron import ReferencePerceptrons
from tests.reference.regression_losses import (
    Huber,
    Linear,
    Logistic,
    ModifiedLeastSquares,
    PNorm,
    RegressionLoss,
)
from tests.reference.sag import ReferenceSAG
from tests.reference.scripted_bank import ScriptedBank
from tests.reference.sgd import ReferenceSGD
from tests.reference.simplex import projected
from tests.reference.uniform import ReferenceUniform

from shoal.kernels.posterior_means import gamma_mean, gamma_shape_mean


def close(expected: float | list[float], tolerance: float = 1e-9) -> object:
    return pytest.approx(expected, rel=tolerance, abs=tolerance)


def column(*votes: float) -> Votes:
    """One output, a vote per learner."""
    return [[v] for v in votes]


def run(bank: ScriptedBank, booster: ReferenceBooster, ys: list[float], vote: str = "soft") -> ReferenceEnsemble:
    """Teach a scripted bank its whole script."""
    ensemble = ReferenceEnsemble(bank, booster, ReferenceLast(), vote)
    for t, y in enumerate(ys):
        ensemble.step([float(t)], y)
    return ensemble


def taught(weights: list[float], target: float = 1.0, n_learners: int = 1) -> Lesson:
    """A lesson with one output."""
    lesson = Lesson.blank(n_learners, 1)
    for i, weight in enumerate(weights):
        lesson.target[i], lesson.weight[i] = [target], [weight]
    return lesson


def random_votes(rng: random.Random, n_learners: int, n_outputs: int = 1) -> Votes:
    return [[rng.uniform(-1.0, 1.0) for _ in range(n_outputs)] for _ in range(n_learners)]


# --- golden vectors ------------------------------------------------------------------------------


def test_golden_1_posterior_mean_of_the_exponential_likelihood() -> None:
    """Losses 0.4, 0.9, 1.2 give the weight 4 / 1.25 = 3.2."""
    rule = ReferenceBayesExponential(1, loss="hinge")
    for g in (0.4, 0.9, 1.2):
        rule.update(column(1.0 - g), [], [True], 1.0, 1.0, 0)
    assert rule.mean(0) == close(3.2)


def test_golden_2_statistics_of_the_gamma_shape() -> None:
    """Losses 0.4, 0.9, 1.2 give n = 4, k = -2.512417515678552 and the mean 0.482413643185731."""
    rule = ReferenceBayesGammaShape(1, lambda n, k: gamma_shape_mean(n, k, 0.0)[0], loss="exponential")
    for g in (0.4, 0.9, 1.2):
        rule.update(column(-math.log(g)), [], [True], 1.0, 1.0, 0)
    assert rule.statistics(0) == close([4.0, -2.512417515678552])
    assert rule.mean(0) == close(0.482413643185731)


def test_golden_3_means_of_shape_and_rate() -> None:
    """Losses 0.4, 0.9, 1.2 give the published posterior means of shape and rate; so does no loss at all."""
    rule = ReferenceBayesGamma(1, lambda P, Q, R, s: gamma_mean(P, Q, R, s, 0.0)[0], loss="exponential")
    assert rule.means(0) == close([3.37492899098250, 4.37492899098250])
    for g in (0.4, 0.9, 1.2):
        rule.update(column(-math.log(g)), [], [True], 1.0, 1.0, 0)
    assert rule.means(0) == close([3.80300072010296, 4.63200082297482])


def test_golden_4_weights_of_osboost() -> None:
    """The smooth weights follow the margins of the learners before."""
    bank = ScriptedBank([column(1.0, -1.0, -0.5, 0.25, 1.0, 0.0)])
    run(bank, ReferenceOSBoost(gamma=0.1), [1.0])
    assert bank.weights(0) == close([1.0, 0.95106613704, 1.0, 1.0, 1.0, 0.973393095447])


def test_golden_4_margins_of_osboost() -> None:
    """The margins add up to the published z."""
    theta = ReferenceOSBoost(gamma=0.1).theta
    z, zs = 0.0, []
    for yh in (1.0, -1.0, -0.5, 0.25, 1.0):
        z += ReferenceOSBoost(gamma=0.1).margins([yh], 1.0)[0] - theta
        zs.append(z)
    expected = [0.952380952381, -0.095238095238, -0.642857142857, -0.440476190476, 0.511904761905]
    assert zs == close(expected)


@pytest.mark.parametrize(
    ("v", "expected"),
    [
        ([0.5, 0.9, -0.2, 0.3], [0.8 / 3.0, 2.0 / 3.0, 0.0, 0.2 / 3.0]),
        ([2.0, -1.0, 0.1], [1.0, 0.0, 0.0]),
    ],
)
def test_golden_5_projection_on_the_simplex(v: list[float], expected: list[float]) -> None:
    """The nearest point of the simplex is found."""
    assert projected(v) == close(expected)


@pytest.mark.parametrize(
    ("scale", "third"),
    [("normalised", [0.25, 0.5, 1.125]), ("count", [0.5, 2.0 / 3.0, 1.5])],
)
def test_golden_6_importances_of_ozaboost(scale: str, third: list[float]) -> None:
    """Importance flows from learner to learner by their answers after the update, on either scale."""
    after = [column(1.0, 1.0, 1.0), column(-1.0, 1.0, 1.0), column(1.0, -1.0, 1.0)]
    before = [[[-v[0]] for v in votes] for votes in after]
    bank = ScriptedBank(before, after)
    booster = ReferenceOzaBoost(3, scale=scale)
    run(bank, booster, [1.0, 1.0, 1.0])
    assert [bank.weights(t)[2] for t in range(3)] == close(third)
    if scale == "normalised":
        assert [bank.weights(t)[:2] for t in range(3)] == [close([1.0, w]) for w in (0.5, 1.0, 0.75)]
        assert [sc[0] for sc in booster.sc[:2]] == close([2.0, 1.5])
        assert [sw[0] for sw in booster.sw[:2]] == close([1.0, 0.75])


def test_golden_7_weights_of_ogboost() -> None:
    """The logit's slope at the running sum weighs the next learner."""
    bank = ScriptedBank([column(0.8, -0.3, 0.5, 0.0)])
    run(bank, ReferenceOGBoost(M=4), [1.0])
    assert bank.weights(0) == close([0.5, 0.310025518872, 0.377540668798, 0.26894142137])


def test_golden_8_gradient_boosting_over_the_span() -> None:
    """Partial predictions, loss coefficients and shrinkage are the published ones for three examples."""
    bank = ScriptedBank([column(0.5, 0.5, -0.2)] * 3)
    booster = ReferenceGradientSpan(3, PNorm(2.0), eta=0.5)
    assert (booster.B, booster.L_B) == (1.0, 4.0)
    ensemble = ReferenceEnsemble(bank, booster, ReferenceLast())
    parts = [[0.25, 0.5, 0.4], [0.25, 0.5, 0.4], [0.25, 0.48618932068, 0.321729114631]]
    coefficients = [[-0.5, -0.375, -0.25], [0.5, 0.625, 0.75], [-0.1, 0.025, 0.14309466034]]
    sigmas = [[0.0, 0.0, 0.0], [0.0, 0.11048543456, 0.265165042945], [0.0, 0.114093873743, 0.305331933777]]
    for t, y in enumerate([1.0, -1.0, 0.2]):
        assert [p[0] for p in ensemble.listen([float(t)]).reading.parts] == close(parts[t])
        assert ensemble.step([float(t)], y) == close([parts[t][-1]])
        lessons = [-target[0] * weight[0] for s, _, target, weight in bank.lessons if s == t]
        assert lessons == close(coefficients[t])
        assert booster.sigma == close(sigmas[t])


def test_golden_9_gradient_boosting_over_the_hull() -> None:
    """Partial predictions are averages with weights 2 / (i + 1)."""
    reading = ReferenceGradientHull(3, PNorm(2.0)).read(column(0.5, -0.2, 0.8), [True] * 3)
    assert [p[0] for p in reading.parts] == close([0.5, 0.1 / 3.0, 1.25 / 3.0])


@pytest.mark.parametrize(
    ("vote", "expected"),
    [(0.3, [0.3675375, 0.334125, 0.2025, 0.0, 0.0]), (-0.3, [0.3675375, 0.408375, 0.3025, 0.0, 0.0])],
)
def test_golden_11_weights_of_boost_by_majority(vote: float, expected: list[float]) -> None:
    """The binomial weights follow from the hard votes before, all right or all wrong."""
    bank = ScriptedBank([column(*[vote] * 5)])
    run(bank, ReferenceOnlineBBM(gamma=0.1, normalise=False), [1.0], vote="hard")
    assert bank.weights(0) == close(expected)


@pytest.mark.parametrize(
    ("y", "experts"),
    [
        (1.0, [0.422318798252, 0.422318798252, 0.155362403497]),
        (-1.0, [0.5761168847658, 0.2119415576171, 0.2119415576171]),
    ],
)
def test_golden_12_adaboost_ol(y: float, experts: list[float]) -> None:
    """Weights, coefficients and experts are the published ones, for labels of either sign."""
    bank = ScriptedBank([column(y, -y, y), column(y, y, -y)])
    booster, rule = ReferenceAdaBoostOL(3), ReferenceExpExperts(3, eta=1.0)
    ensemble = ReferenceEnsemble(bank, booster, rule, vote="hard")
    ensemble.step([0.0], y)
    assert [alpha[0] for alpha in booster.alpha] == close([2.0, -2.0, 2.0])
    ensemble.step([1.0], y)
    assert bank.weights(0) == close([0.5, 0.5, 0.5])
    assert bank.weights(1) == close([0.5, 0.119202922022, 0.5])
    assert [alpha[0] for alpha in booster.alpha] == close([2.0, -0.585786437627, -0.49127034675])
    assert rule.hedge.weights() == close(experts)


# --- section A -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("loss", "flat"), [("ramp", 0.0), ("zero-one", 0.0), ("logistic", 0.3132616875182228)])
def test_hard_votes_make_a_weighted_majority(loss: str, flat: float) -> None:
    """With hard votes rule (12) is the majority with weights 1 / (beta / theta + flat t + mistakes)."""
    rng = random.Random(1)
    rule = ReferenceBayesExponential(7, loss=loss)
    mistakes = [0] * 7
    for t in range(60):
        members = [hard(vote) for vote in random_votes(rng, 7)]
        weights = [1.0 / (10.0 + flat * t + m) for m in mistakes]
        majority = sum(w * vote[0] for w, vote in zip(weights, members, strict=True))
        score = rule.combine(members, [], [True] * 7)[0]
        assert sign(score) == sign(majority)
        y = rng.choice([-1.0, 1.0])
        rule.update(members, [], [True] * 7, y, 1.0, 0)
        mistakes = [m + (vote[0] != y) for m, vote in zip(mistakes, members, strict=True)]


def test_only_beta_over_theta_matters() -> None:
    """Answers depend on alpha not at all, and on beta and theta through their ratio."""
    rng = random.Random(2)
    rules = [ReferenceBayesExponential(5, alpha=a, beta=b, theta=c) for a, b, c in ((1, 1, 0.1), (9, 3, 0.3))]
    for _ in range(50):
        members, y = random_votes(rng, 5), rng.choice([-1.0, 1.0])
        one, other = (sign(rule.combine(members, [], [True] * 5)[0]) for rule in rules)
        assert one == other
        for rule in rules:
            rule.update(members, [], [True] * 5, y, 1.0, 0)


def test_two_shards_merge_into_the_whole() -> None:
    """The posterior of two halves of a stream, merged, is that of the whole."""
    rng = random.Random(3)
    whole, left, right = (ReferenceBayesExponential(4) for _ in range(3))
    for t in range(30):
        members, y = random_votes(rng, 4), rng.choice([-1.0, 1.0])
        for rule in (whole, left if t % 2 else right):
            rule.update(members, [], [True] * 4, y, 0.5 + t, 0)
    left.merge(right)
    assert [left.mean(i) for i in range(4)] == close([whole.mean(i) for i in range(4)])


def test_who_abstains_keeps_its_own_count() -> None:
    """A learner that did not vote keeps its prior, and adds nothing to the score."""
    rule = ReferenceBayesExponential(2)
    rule.update(column(0.5, -0.5), [], [True, False], 1.0, 1.0, 0)
    assert (rule.shape(0), rule.shape(1)) == (2.0, 1.0)
    assert rule.combine(column(0.5, -0.5), [], [False, True])[0] < 0.0


def test_forgetting_keeps_the_prior() -> None:
    """The effective number of examples tends to 1 / (1 - rho) and the prior stays."""
    rule = ReferenceBayesExponential(1, forgetting=0.9)
    for _ in range(500):
        rule.update(column(0.5), [], [True], 1.0, 1.0, 0)
    assert (rule.shape(0), rule.rate(0)) == close([1.0 + 10.0, 1.0 + 0.1 * 10.0 * 0.5])


def test_small_losses_make_the_predictive_rule_the_plug_in_rule() -> None:
    """For small losses the predictive score is theta times the plug-in score, with shapes one larger."""
    rng = random.Random(4)
    rules = [ReferenceBayesExponential(3, decision=d, theta=1e-6) for d in ("plug-in", "predictive")]
    members = random_votes(rng, 3)
    for rule in rules:
        for _ in range(1000):
            rule.update(members, [], [True] * 3, 1.0, 1.0, 0)
    plug_in, predictive = (rule.combine(members, [], [True] * 3)[0] for rule in rules)
    assert predictive / 1e-6 * (1001.0 / 1002.0) == close(plug_in, 1e-5)


def test_intervals_contain_the_mean_and_compare_learners() -> None:
    """Both intervals surround the mean, and of two learners the better one is likely the heavier."""
    rule = ReferenceBayesExponential(2)
    for t in range(40):
        rule.update(column(0.9 - 0.5 * (t % 2), -0.2), [], [True, True], 1.0, 1.0, 0)
    for interval in (rule.credible_interval(0, 0.95), rule.sandwich_interval(0, 0.95)):
        assert interval[0] < rule.mean(0) < interval[1]
    assert 0.5 < rule.probability_above(0, 1) < 1.0
    assert rule.probability_above(0, 1) + rule.probability_above(1, 0) == close(1.0)


def test_a_law_per_class_learns_from_that_class_alone() -> None:
    """An example of class -1 leaves the law of class +1 at its prior."""
    rule = ReferenceBayesExponential(1, per_class=True)
    rule.update(column(0.5), [], [True], -1.0, 1.0, 0)
    assert (rule.shape(0, rule.law_of(1.0)), rule.shape(0, rule.law_of(-1.0))) == (1.0, 2.0)
    assert math.isfinite(rule.combine(column(0.5), [], [True])[0])


def test_two_classes_as_two_outputs_are_two_classes() -> None:
    """Votes (c / 2, -c / 2) cast for two named classes answer as the vote c does (F.1)."""
    rng = random.Random(5)
    for loss in ("zero-one", "ramp", "hinge", "logistic", "exponential"):
        for _ in range(20):
            c = rng.uniform(-1.0, 1.0)
            for k, y in enumerate((1.0, -1.0)):
                assert base_loss(loss, [c / 2.0, -c / 2.0], float(k)) == close(base_loss(loss, [c], y))


def test_the_logarithm_of_a_tiny_logistic_loss_is_exact() -> None:
    """For a margin of 700 the loss underflows to nothing useful, its logarithm is -700."""
    assert log_base_loss("logistic", [700.0], 1.0) == close(-700.0)
    assert log_base_loss("logistic", [1.0], -1.0) == close(math.log(math.log(1.0 + math.e)))


def test_losses_that_reach_zero_are_refused() -> None:
    """The Gamma likelihoods refuse the ramp, whose logarithm has no value at 0."""
    with pytest.raises(ValueError, match="never 0"):
        ReferenceBayesGamma(1, lambda P, Q, R, s: 1.0, loss="ramp")
    with pytest.raises(ValueError, match="never 0"):
        ReferenceBayesGammaShape(1, lambda n, k: 1.0, loss="ramp")


@pytest.mark.parametrize(
    ("cap", "t", "shape", "alpha"),
    [
        ("none", 8000, 0.331, 9.8),
        ("rescale", 8000, 0.3316, 9.08),
        ("naive", 1000, 0.332, None),
        ("naive", 2000, 0.264, None),
        ("naive", 8000, 0.115, 0.025),
        ("naive", 300, None, 0.69),
        ("naive", 199, None, 8.8),
    ],
)
def test_caps_move_the_means_as_the_specification_says(
    cap: str, t: int, shape: float | None, alpha: float | None
) -> None:
    """Mean loss 0.45 and mean log loss -0.85 give the means listed in A.5 for each way of capping."""
    one = ReferenceBayesGammaShape(1, lambda n, k: gamma_shape_mean(n, k, 0.0)[0], cap=cap)
    two = ReferenceBayesGamma(1, lambda P, Q, R, s: gamma_mean(P, Q, R, s, 0.0)[0], cap=cap)
    one.N, one.S = [float(t)], [-0.85 * t]
    two.N, two.S, two.G = [float(t)], [-0.85 * t], [0.45 * t]
    if shape is not None:
        assert one.mean(0) == pytest.approx(shape, rel=2e-3)
    if alpha is not None:
        assert two.means(0)[0] == pytest.approx(alpha, rel=1e-2)


def test_one_gradient_step_by_hand() -> None:
    """From lambda = 1 with g = 0.5 and theta = 0.1, (14) goes to 1.95 and the implicit step to its root."""
    paper, implicit = ReferenceSGD(1), ReferenceSGD(1, form="implicit")
    for rule in (paper, implicit):
        rule.update(column(0.5), [], [True], 1.0, 1.0, 0)
    assert paper.lambdas() == close([1.0 - (0.05 - 1.0)])
    after = implicit.lambdas()[0]
    assert after == close(1.0 - (0.05 - 1.0 / after))


def test_the_averaged_iterate_includes_the_first() -> None:
    """After one step the average is the mean of the first weight and the new one."""
    plain, averaged = ReferenceSGD(1), ReferenceSGD(1, averaging=True)
    for rule in (plain, averaged):
        rule.update(column(0.5), [], [True], 1.0, 1.0, 0)
    assert averaged.lambdas() == close([(1.0 + plain.lambdas()[0]) / 2.0])


def test_revisiting_average_gradients_find_the_optimum() -> None:
    """With revisits the weights come near 1 / (theta * mean loss) and rank the learners; one pass ranks them."""
    rng = random.Random(6)
    draws = random.Random(7)
    revisit = ReferenceSAG(3, mode="revisit", c=16.0, draw=lambda t: draws.random())
    one_pass = ReferenceSAG(3, mode="one-pass", T=3000)
    for _ in range(3000):
        members = [[1.0 - rng.uniform(0.0, 2.0 * mean)] for mean in (0.1, 0.25, 0.5)]
        for rule in (revisit, one_pass):
            rule.update(members, [], [True] * 3, 1.0, 1.0, 0)
    for found, mean in zip(revisit.lambdas(), (0.1, 0.25, 0.5), strict=True):
        assert found == pytest.approx(1.0 / (0.1 * mean), rel=0.3)
    assert one_pass.lambdas() == sorted(one_pass.lambdas(), reverse=True)


# --- section B -----------------------------------------------------------------------------------


def test_perceptrons_stay_in_range_and_learn_from_mistakes_only() -> None:
    """A vote is <w, x> / max(1, |w|), and a right answer changes nothing."""
    bank = ReferencePerceptrons(1, 2)
    x = [0.6, 0.8]
    bank.update(x, [], taught([3.0]))
    assert bank.w[0][0] == close([1.8, 2.4])
    assert bank.predict(x)[0] == [close([1.0])]
    bank.update(x, [], taught([5.0]))
    assert bank.w[0][0] == close([1.8, 2.4])


def test_projected_descent_has_little_regret() -> None:
    """Against the best unit vector in hindsight the regret is at most sqrt(8 sum of weight^2)."""
    rng = random.Random(8)
    bank = ReferenceOGD(1, 3)
    gained, best, squares = 0.0, [0.0] * 3, 0.0
    for _ in range(400):
        x = [rng.uniform(-0.5, 0.5) for _ in range(3)]
        y, w = rng.choice([-1.0, 1.0]), rng.random()
        gained += w * y * bank.predict_at(0, x)[0]
        best = [b + w * y * x_j for b, x_j in zip(best, x, strict=True)]
        squares += w * w
        bank.update(x, [], taught([w], y))
    assert math.hypot(*best) - gained <= math.sqrt(8.0 * squares)


@pytest.mark.parametrize("n_outputs", [1, 3])
def test_naive_bayes_forgets_the_order_and_counts_weights(n_outputs: int) -> None:
    """Any order of the examples, and one of weight 2 for two of weight 1, give the same votes."""
    rng = random.Random(9)
    examples = []
    for _ in range(25):
        x = [rng.gauss(0.0, 1.0), rng.choice([0.0, 1.0])]
        examples.append((x, rng.choice(labels(n_outputs)), rng.choice([1.0, 2.0])))
    one, other = (ReferenceNaiveBayes(1, [False, True], n_outputs) for _ in range(2))
    for x, y, w in examples:
        ReferenceEnsemble(one, ReferenceIndependent(), ReferenceUniform()).step(x, y, w)
    for x, y, w in reversed(examples):
        for _ in range(int(w)):
            ReferenceEnsemble(other, ReferenceIndependent(), ReferenceUniform()).step(x, y)
    assert one.predict_at(0, [0.3, 1.0]) == close(other.predict_at(0, [0.3, 1.0]))


def test_naive_bayes_as_two_classes_or_two_outputs() -> None:
    """Two named classes get the votes of -1 and +1, 2 P - 1 each."""
    two, named = ReferenceNaiveBayes(1, [False]), ReferenceNaiveBayes(1, [False], n_outputs=2)
    for x, k in ((0.1, 0), (0.4, 1), (-0.3, 0), (0.9, 1), (0.5, 0)):
        ReferenceEnsemble(named, ReferenceIndependent(), ReferenceUniform()).step([x], float(k))
        ReferenceEnsemble(two, ReferenceIndependent(), ReferenceUniform()).step([x], 2.0 * k - 1.0)
    vote = two.predict_at(0, [0.6])[0]
    assert named.predict_at(0, [0.6]) == close([-vote, vote])


def test_naive_bayes_bounds_what_one_feature_says() -> None:
    """An outlier moves the log-odds by the clip at most, and a missing value by nothing."""
    bank = ReferenceNaiveBayes(1, [False, False], clip=3.0)
    for x, y in (([0.0, 0.0], -1.0), ([0.2, 1.0], -1.0), ([1.0, 0.0], 1.0), ([1.2, 1.0], 1.0)):
        ReferenceEnsemble(bank, ReferenceIndependent(), ReferenceUniform()).step(x, y)
    logs = bank.log_posterior(0, [1e6, 0.5])
    assert abs(logs[1] - logs[0]) <= 3.0 + 1e-9
    missing = bank.log_posterior(0, [math.nan, 0.5])
    assert missing[1] - missing[0] == close(0.0)


def test_ozaboost_repeats_updates_as_often_as_drawn() -> None:
    """In Poisson mode a learner gets k updates of weight 1, and importance flows even for k = 0."""
    bank = ScriptedBank([column(1.0, 1.0, 1.0)])
    means: list[float] = []

    def drawn(t: int, i: int, c: int, mean: float) -> int:
        means.append(mean)
        return [2, 0, 1][i]

    run(bank, ReferenceOzaBoost(3, poisson=drawn), [1.0])
    assert [i for _, i, _, _ in bank.lessons] == [0, 0, 2]
    assert means == close([1.0, 0.5, 0.25])


def test_ogboost_selectors_choose_the_learner_with_the_fewest_errors() -> None:
    """After a step the selector answers with the candidate that was right."""
    booster = ReferenceOGBoost(M=1, K=2)
    run(ScriptedBank([column(-1.0, 1.0)]), booster, [1.0])
    assert booster.read(column(-0.4, 0.7), [True, True]).members == column(0.7)


def test_osboost_without_edge_teaches_everyone_alike() -> None:
    """For gamma = 0 every weight is 1, whatever the votes."""
    bank = ScriptedBank([column(1.0, -1.0, 0.3)])
    run(bank, ReferenceOSBoost(gamma=0.0), [1.0])
    assert bank.weights(0) == [1.0, 1.0, 1.0]


def test_ocp_moves_towards_who_was_right() -> None:
    """A margin below theta moves weight to the learner that was right, and stays on the simplex."""
    rule = ReferenceOCP(2)
    rule.update(column(1.0, -1.0), [], [True, True], 1.0, 1.0, 0)
    assert rule.alpha[0] == close([1.0, 0.0])
    rule.update(column(1.0, -1.0), [], [True, True], 1.0, 1.0, 0)
    assert rule.alpha[0] == close([1.0, 0.0])


def test_hedge_is_close_to_the_best_expert() -> None:
    """The expected loss exceeds the best expert's by at most 2 sqrt(T log(N) / 2) + sqrt(log(N) / 8)."""
    rng = random.Random(10)
    hedge, expected, T, N = Hedge(5), 0.0, 500, 5
    for _ in range(T):
        losses = [float(rng.random() < 0.2 + 0.1 * j) for j in range(N)]
        expected += sum(v * loss for v, loss in zip(hedge.weights(), losses, strict=True))
        hedge.update(losses)
    bound = 2.0 * math.sqrt(T * math.log(N) / 2.0) + math.sqrt(math.log(N) / 8.0)
    assert expected - min(hedge.mistakes) <= bound


def test_sampled_experts_follow_their_weights() -> None:
    """The number drawn selects the expert in whose share of the unit interval it falls."""
    hedge = Hedge(3, eta=math.log(2.0))
    hedge.update([0.0, 1.0, 1.0])
    assert [hedge.sampled(u) for u in (0.0, 0.49, 0.51, 0.74, 0.76, 0.999)] == [0, 0, 1, 1, 2, 2]


def test_a_fixed_share_leaves_every_expert_some_weight() -> None:
    """With share s no weight falls below s / N."""
    hedge = Hedge(4, eta=1.0, share=0.1)
    for _ in range(100):
        hedge.update([0.0, 1.0, 1.0, 1.0])
    assert min(hedge.weights()) >= 0.025
    assert sum(hedge.weights()) == close(1.0)


def test_the_grid_prefers_to_forget_after_a_change() -> None:
    """When the good learner changes, the weight moves to the smaller forgetting factors."""
    rule = ReferenceForgettingGrid(lambda rho: ReferenceBayesExponential(2, forgetting=rho), grid=(0.9, 1.0))
    rng = random.Random(11)
    for t in range(400):
        y = rng.choice([-1.0, 1.0])
        members = column(y, -y) if t < 200 else column(-y, y)
        rule.update(members, [], [True, True], y, 1.0, 0)
    assert rule.hedge.weights()[0] > 0.99


def test_feature_boosting_selects_and_weighs_by_hand() -> None:
    """Each selector takes its best candidate, with half its log-odds, and passes importance on."""
    bank = ScriptedBank([column(-1.0, 1.0, 1.0, -1.0)])
    booster = ReferenceFeatureBoost(N=2, M=2)
    run(bank, booster, [1.0])
    assert booster.selected == [[1, 0]]
    assert bank.weights(0) == close([1.0, 1.0, 0.75, 0.75])  # 1 / (2 (1 - 1/3)) after a right answer
    assert booster.alpha[0] == close([0.5 * math.log(2.0), 0.5 * math.log(1.75)])


def test_feature_boosting_over_a_pool_takes_each_candidate_once() -> None:
    """Selectors that share a pool choose different candidates, and the pool is taught once an example."""
    bank = ScriptedBank([column(1.0, 1.0, -1.0)] * 3)
    booster = ReferenceFeatureBoost(N=2, M=3, pool=True)
    run(bank, booster, [1.0] * 3)
    assert booster.selected == [[0, 1]]
    assert len(bank.lessons) == 9


def test_feature_boosting_exchanges_the_worst_candidate() -> None:
    """The candidate with the largest error is replaced, and its counters start again."""
    bank = ScriptedBank([column(1.0, -1.0, 1.0)])
    booster = ReferenceFeatureBoost(N=1, M=3, exchange=True)
    run(bank, booster, [1.0])
    assert bank.replaced == [1]
    assert (booster.lc[0][0][1], booster.lw[0][0][1]) == (1.0, 1.0)


def test_adaboost_for_many_classes_trusts_who_is_right() -> None:
    """Of three classes, the learner that names the right one gets a positive coefficient."""
    right, wrong = [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0]
    bank = ScriptedBank([[right, wrong]] * 20)
    booster = ReferenceAdaBoostOLM(2)
    ensemble = ReferenceEnsemble(bank, booster, ReferenceExpExperts(2, eta=1.0))
    for t in range(20):
        ensemble.step([float(t)], 0.0)
    assert booster.alpha[0] > 0.0 > booster.alpha[1]
    assert bank.weights(0)[0] == close(0.5)


def test_classes_are_balanced_by_their_shares() -> None:
    """After nine examples of one class and one of the other, the rare class counts three times."""
    weights = ReferenceClassWeights()
    for _ in range(9):
        weights.update(-1.0)
    weights.update(1.0)
    assert (weights.weight(1.0), weights.weight(-1.0)) == close([3.0, 0.6])


# --- section C -----------------------------------------------------------------------------------

LOSSES: list[Callable[[], RegressionLoss]] = [
    Linear,
    PNorm,
    lambda: PNorm(3.0),
    ModifiedLeastSquares,
    Logistic,
    Huber,
]


@pytest.mark.parametrize("make", LOSSES)
def test_slopes_are_derivatives_within_the_constants(make: Callable[[], RegressionLoss]) -> None:
    """On a ball, the slope is the loss's derivative, bounded by L and changing by at most beta per unit."""
    loss, b, h = make(), 1.5, 1e-6
    grid = [-b + 0.0437 * j for j in range(69)]
    for y in (-1.0, 0.3, 1.0):
        slopes = [loss.slope(y, p) for p in grid]
        for p, slope in zip(grid, slopes, strict=True):
            assert slope == pytest.approx((loss.value(y, p + h) - loss.value(y, p - h)) / (2.0 * h), abs=1e-4)
            assert abs(slope) <= loss.L(b) + 1e-12
        for low, high in pairwise(slopes):
            assert -1e-12 <= high - low <= loss.beta(b) * 0.0437 + 1e-12


@pytest.mark.parametrize("make", LOSSES)
def test_projecting_hurts_at_most_eps(make: Callable[[], RegressionLoss]) -> None:
    """Outside the ball, the loss rises by at most eps per unit of projection."""
    loss = make()
    of_margins = isinstance(loss, ModifiedLeastSquares | Logistic)
    for b in (0.4, 0.9, 1.0, 2.0):
        for y in (-1.0, 1.0) if of_margins else (-1.0, 0.2, 1.0):
            for p in (-5.0, -b - 1e-4, b + 1e-4, b + 0.3, 5.0):
                kept = min(max(p, -b), b)
                assert loss.value(y, kept) - loss.value(y, p) <= loss.eps(b) * abs(p - kept) + 1e-12


@pytest.mark.parametrize(
    ("eta", "paper", "exact"), [(1.0, 1.386, 1.027), (0.1, 3.689, 2.094), (0.01, 5.991, 3.472)]
)
def test_radius_of_the_logistic_loss(eta: float, paper: float, exact: float) -> None:
    """The paper's radius is ln(4 / eta); bisection finds the smaller one of C.4."""
    assert Logistic().B(10**6, eta) == pytest.approx(paper, abs=5e-4)
    assert Logistic().B(10**6, eta, radius="exact") == pytest.approx(exact, abs=5e-4)


def test_one_learner_is_the_learner_itself() -> None:
    """With N = 1 the hull answers as the learner; so does the span at step 1, clipped."""
    assert ReferenceGradientHull(1, PNorm()).read(column(0.7), [True]).parts == column(0.7)
    assert ReferenceGradientSpan(1, PNorm(), eta=1.0).read(column(1.7), [True]).parts == column(1.0)


@pytest.mark.parametrize("fit", ["actual", "residual"])
def test_fitting_the_loss_itself_hands_over_offset_and_step(fit: str) -> None:
    """The second learner is taught what the first left over."""
    bank = ScriptedBank([column(0.5, 0.25)])
    ensemble = ReferenceEnsemble(bank, ReferenceGradientHull(2, PNorm(), fit=fit), ReferenceLast())
    room = ensemble.listen([0.0])
    ensemble.booster.teach(bank, [0.0], room, 1.0, 1.0)
    offset, step = 0.5 / 3.0, 2.0 / 3.0
    if fit == "actual":
        assert (room.lesson.offset[1], room.lesson.step[1]) == ([close(offset)], [close(step)])
    else:
        assert room.lesson.target[1] == close([(1.0 - offset) / step])
        assert room.lesson.weight[1] == close([step**2])


# --- where the parts meet ------------------------------------------------------------------------

BOOSTERS: list[Callable[[], ReferenceBooster]] = [
    ReferenceIndependent,
    ReferenceOSBoost,
    ReferenceOnlineBBM,
    lambda: ReferenceOSBoost(multiclass="direct"),
    lambda: ReferenceOzaBoost(4, 3),
    lambda: ReferenceOGBoost(2, 2, 3),
    lambda: ReferenceAdaBoostOL(4, 3),
    lambda: ReferenceAdaBoostOLM(4),
    lambda: ReferenceFeatureBoost(2, 2, 3),
    lambda: ReferenceFeatureBoost(2, 4, 3, pool=True),
]


@pytest.mark.parametrize("make", BOOSTERS)
def test_every_booster_learns_three_classes(make: Callable[[], ReferenceBooster]) -> None:
    """Perceptrons under any booster learn to tell three separated classes apart."""
    rng = random.Random(12)
    start = random.Random(13)
    bank = ReferencePerceptrons(4, 3, n_outputs=3, initial=lambda i, c: [start.gauss(0.0, 1e-3) for _ in range(3)])
    ensemble = ReferenceEnsemble(bank, make(), ReferenceLast())
    right = 0
    for t in range(300):
        k = rng.randrange(3)
        angle = 2.0 * math.pi * k / 3.0 + rng.uniform(-0.3, 0.3)
        score = ensemble.step([0.5, 0.8 * math.cos(angle), 0.8 * math.sin(angle)], float(k))
        right += t >= 200 and score.index(max(score)) == k
    assert right >= 80


def test_an_example_of_weight_zero_is_not_learned() -> None:
    """A step at weight 0 answers and teaches no one."""
    bank = ScriptedBank([column(0.5)])
    rule = ReferenceBayesExponential(1)
    assert ReferenceEnsemble(bank, ReferenceIndependent(), rule).step([0.0], 1.0, 0.0)[0] > 0.0
    assert (bank.lessons, rule.shape(0)) == ([], 1.0)
