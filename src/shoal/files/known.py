"""The classes that a model file may name: those of the registry, and the parts around them. No others are made."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from shoal.errors import InputError
from shoal.registry import BANKS, BOOSTERS, REGRESSION_BANKS, RULES

AROUND = (
    "shoal.ensemble:Ensemble",
    "shoal.decision:Decision",
    "shoal.decision_costs:Costs",
    "shoal.regression:Targets",
    "shoal.scaling:Scaling",
    "shoal.drift:DriftDetector",
    "shoal.banks.linearised:Linearised",
    "shoal.banks.one_vs_rest:OneVsRest",
    "shoal.banks.stack:Stack",
    "shoal.banks.symmetric:Symmetric",
    "shoal.boosters.gradient_hull:GradientHull",
    "shoal.boosters.gradient_span:GradientSpan",
    "shoal.boosters.regressing:Regressing",
    "shoal.boosters.regression_losses:RegressionLoss",
    "shoal.rules.squared_posterior:SquaredPosterior",
    "shoal.reservoir.baselines:SampledBoost",
    "shoal.reservoir.fixed_stumps:FixedStumps",
    "shoal.reservoir.model:ReservoirBoost",
    "shoal.reservoir.strategies:GEEM",
    "shoal.reservoir.strategies:Max",
    "shoal.reservoir.strategies:Rand",
    "shoal.reservoir.strategies:WSam",
)


class Known(dict[str, Any]):
    """Classes by name; each is imported when it is asked for. more: classes of the caller's own."""

    def __init__(self, more: Iterable[type] = ()) -> None:
        super().__init__({kind.__name__: kind for kind in more})
        places = [*BANKS.values(), *REGRESSION_BANKS.values(), *BOOSTERS.values(), *RULES.values(), *AROUND]
        self.places = {place.partition(":")[2]: place for place in places}
        for kind in more:
            if kind.__name__ in self.places:
                raise InputError(f"known has a class {kind.__name__!r}, which is the name of a part of shoal.")

    def __contains__(self, name: object) -> bool:
        return name in self.places or super().__contains__(name)

    def __missing__(self, name: str) -> Any:
        module, _, attribute = self.places[name].partition(":")
        self[name] = getattr(import_module(module), attribute)
        return self[name]

    def holds(self, kind: type) -> bool:
        """Whether this very class would be made of its name."""
        return kind.__name__ in self and self[kind.__name__] is kind
