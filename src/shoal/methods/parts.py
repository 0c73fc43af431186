"""What methods share: learners by name, how they stand together, and the settings common to all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.banks.one_vs_rest import OneVsRest
from shoal.banks.stack import Stack
from shoal.boosters.independent import Independent
from shoal.decision import Decision
from shoal.decision_costs import Costs
from shoal.drift import DriftDetector
from shoal.ensemble import Bank, Ensemble, Part, Rule
from shoal.errors import InputError
from shoal.losses import ALWAYS_POSITIVE
from shoal.methods.learners import named_bank
from shoal.rules.uniform import Uniform
from shoal.scaling import Scaling

Learner = str | Bank | Sequence[Any]


def make_bank(learner: Learner, n_learners: int, feature_fraction: float) -> Bank:
    """Learners by name, a bank as it is, or outside estimators made into one.

    A list of names or banks stands side by side, the named ones sharing `n_learners` among them.
    """
    if not (isinstance(n_learners, int) and n_learners >= 1):
        raise InputError(f"n_learners is {n_learners!r}; expected a whole number, 1 or more.")
    if not 0.0 < feature_fraction <= 1.0:
        raise InputError(f"feature_fraction is {feature_fraction!r}; expected a share in (0, 1].")
    if isinstance(learner, str):
        return named_bank(learner, n_learners, feature_fraction)
    if isinstance(learner, list | tuple):
        return _side_by_side(learner, n_learners, feature_fraction)
    if hasattr(learner, "n_learners") and hasattr(learner, "init"):
        return learner  # type: ignore[return-value]
    return _outside([learner], n_learners, feature_fraction)


def _side_by_side(learners: Sequence[Any], n_learners: int, feature_fraction: float) -> Bank:
    if not learners:
        raise InputError("learner is an empty list; expected names of learners, banks or estimators.")
    if not any(isinstance(x, str) or hasattr(x, "n_learners") for x in learners):
        return _outside(learners, len(learners), feature_fraction)
    n_named = sum(isinstance(x, str) for x in learners)
    shares = [n_learners // n_named + (k < n_learners % n_named) for k in range(n_named)]
    banks = []
    for learner in learners:
        share = max(1, shares.pop(0)) if isinstance(learner, str) else 1
        banks.append(make_bank(learner, share, feature_fraction))
    return Stack(tuple(banks))


def _outside(estimators: Sequence[Any], n_learners: int, feature_fraction: float) -> Bank:
    from shoal.banks.outside import OutsideBank

    copies = [estimators[k % len(estimators)] for k in range(n_learners)]
    return OutsideBank(tuple(copies), feature_fraction=feature_fraction)


def forgetful(rule: Rule, forgetting: Any) -> Rule:
    """The rule with a forgetting factor; or copies of it with several, weighed online."""
    if isinstance(forgetting, int | float):
        return replace(rule, forgetting=float(forgetting))  # type: ignore[type-var]
    from shoal.rules.mixture import ForgettingGrid

    return ForgettingGrid(rule) if forgetting == "auto" else ForgettingGrid(rule, tuple(forgetting))


def _frozen(frozen: bool | int) -> dict[str, Any]:
    """False: learners learn for ever. k: they learn from the first k examples only, and the rule from the
    others. True: they never learn, having been taught before.
    """
    if isinstance(frozen, bool):
        return {"pretrain": 0, "freeze": frozen}
    if not (isinstance(frozen, int) and frozen >= 0):
        raise InputError(
            f"frozen is {frozen!r}; expected True, False or a number of examples to learn from first."
        )
    return {"pretrain": frozen, "freeze": frozen > 0}


def votes_for(vote: str, base_loss: str) -> str:
    """Losses that reach 0 take hard votes, as in sections 5.1 and 5.2 of Bai et al.; the others soft ones."""
    if vote != "auto":
        return vote
    return "soft" if base_loss in ALWAYS_POSITIVE else "hard"


def make_decision(class_weight: Any, threshold: float | str, booster: Part | None = None) -> Decision:
    """How scores become answers, from the settings of a method."""
    fixed = tuple(class_weight) if isinstance(class_weight, list | tuple) else class_weight
    if fixed is not None and getattr(booster, "evens_out", False):
        return Costs(fixed, threshold)
    return Decision(fixed, threshold)


def assemble(
    bank: Bank,
    booster: Part | None = None,
    rule: Rule | None = None,
    vote: str = "soft",
    frozen: bool | int = False,
    scaling: str | None = "standard",
    bias: bool = True,
    class_weight: Any = None,
    threshold: float | str = 0.0,
    drift: Any = None,
) -> Ensemble:
    """An ensemble of these parts; without a booster or a rule all learners are taught and heard alike."""
    if frozen is True:
        bank = as_trained(bank)
    if getattr(booster, "per_output", False):
        bank = one_lesson_each(bank)
    return Ensemble(
        bank,
        booster if booster is not None else Independent(),
        rule if rule is not None else Uniform(),
        Scaling(scaling, bias),
        make_decision(class_weight, threshold, booster),
        vote,
        drift=make_detector(drift),
        **_frozen(frozen),
    )


def as_trained(bank: Bank) -> Bank:
    """The bank with outside estimators as they are, instead of untaught clones of them."""
    if isinstance(bank, Stack):
        return Stack(tuple(as_trained(member) for member in bank.banks))
    return replace(bank, fitted=True) if hasattr(bank, "fitted") else bank  # type: ignore[type-var]


def classes_of(bank: Bank) -> list[Any] | None:
    """The classes that estimators trained elsewhere know; None where there are no such, or they do not tell."""
    banks = bank.banks if isinstance(bank, Stack) else (bank,)
    trained = [e for b in banks if getattr(b, "fitted", False) for e in b.estimators]
    known = [classes for e in trained if (classes := getattr(e, "classes_", None)) is not None]
    if trained and not known:
        raise InputError(
            "the learners were trained elsewhere and do not tell their classes: name all at the first partial_fit."
        )
    return np.unique(np.concatenate(known)).tolist() if known else None


def with_labels(bank: Bank, classes: Sequence[Any]) -> Bank:
    """The bank, told what estimators trained elsewhere call the classes."""
    if isinstance(bank, Stack):
        return Stack(tuple(with_labels(member, classes) for member in bank.banks))
    if getattr(bank, "fitted", False) and bank.labels is None:  # type: ignore[attr-defined]
        return replace(bank, labels=tuple(classes))  # type: ignore[type-var]
    return bank


def one_lesson_each(bank: Bank) -> Bank:
    """The bank with learners that can be taught each class apart from the others."""
    if isinstance(bank, Stack):
        return Stack(tuple(one_lesson_each(member) for member in bank.banks))
    return OneVsRest(bank) if getattr(bank, "knows_classes", False) else bank


def make_detector(drift: str | DriftDetector | None) -> DriftDetector | None:
    """What watches for drift, by its kind or as it is."""
    if drift is None or isinstance(drift, DriftDetector):
        return drift
    return DriftDetector(kind=drift)
