"""shoal: online ensembles. Many weak learners, taught one example at a time, that swim as one.

Public names load when they are first used, so that importing shoal costs little more than NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_WHERE = {
    "OnlineEnsembleClassifier": "shoal.estimators.default",
    "AdaBoostOLClassifier": "shoal.estimators.boosting",
    "OGBoostClassifier": "shoal.estimators.boosting",
    "OSBoostClassifier": "shoal.estimators.boosting",
    "OnlineBBMClassifier": "shoal.estimators.boosting",
    "OnlineFeatureBoostClassifier": "shoal.estimators.boosting",
    "OzaBoostClassifier": "shoal.estimators.boosting",
    "BayesianEnsembleClassifier": "shoal.estimators.ensembles",
    "EnsembleClassifier": "shoal.estimators.ensembles",
    "SGDWeightedClassifier": "shoal.estimators.ensembles",
    "VotingEnsembleClassifier": "shoal.estimators.ensembles",
    "OnlineEnsembleRegressor": "shoal.estimators.regression",
    "OnlineGradientBoostingRegressor": "shoal.estimators.regression",
    "GradientBoostingRegressor": "shoal.estimators.batch_gradient",
    "FixedSampleBoostClassifier": "shoal.estimators.reservoir",
    "MadaBoostClassifier": "shoal.estimators.reservoir",
    "ReservoirBoostClassifier": "shoal.estimators.reservoir",
    "WeightedSamplingBoostClassifier": "shoal.estimators.reservoir",
    "InputError": "shoal.errors",
    "compare": "shoal.evaluation.compare",
    "evaluate": "shoal.evaluation.progressive",
    "load": "shoal.files",
    "open_stream": "shoal.streams",
    "save": "shoal.files",
}
_MODULES = ("datasets", "testing")
_EXTRAS = ("river",)  # need a package that shoal does without

if TYPE_CHECKING:
    from shoal import datasets as datasets
    from shoal.errors import InputError as InputError
    from shoal.estimators.batch_gradient import GradientBoostingRegressor as GradientBoostingRegressor
    from shoal.estimators.boosting import AdaBoostOLClassifier as AdaBoostOLClassifier
    from shoal.estimators.boosting import OGBoostClassifier as OGBoostClassifier
    from shoal.estimators.boosting import OnlineBBMClassifier as OnlineBBMClassifier
    from shoal.estimators.boosting import OnlineFeatureBoostClassifier as OnlineFeatureBoostClassifier
    from shoal.estimators.boosting import OSBoostClassifier as OSBoostClassifier
    from shoal.estimators.boosting import OzaBoostClassifier as OzaBoostClassifier
    from shoal.estimators.default import OnlineEnsembleClassifier as OnlineEnsembleClassifier
    from shoal.estimators.ensembles import BayesianEnsembleClassifier as BayesianEnsembleClassifier
    from shoal.estimators.ensembles import EnsembleClassifier as EnsembleClassifier
    from shoal.estimators.ensembles import SGDWeightedClassifier as SGDWeightedClassifier
    from shoal.estimators.ensembles import VotingEnsembleClassifier as VotingEnsembleClassifier
    from shoal.estimators.regression import OnlineEnsembleRegressor as OnlineEnsembleRegressor
    from shoal.estimators.regression import OnlineGradientBoostingRegressor as OnlineGradientBoostingRegressor
    from shoal.estimators.reservoir import FixedSampleBoostClassifier as FixedSampleBoostClassifier
    from shoal.estimators.reservoir import MadaBoostClassifier as MadaBoostClassifier
    from shoal.estimators.reservoir import ReservoirBoostClassifier as ReservoirBoostClassifier
    from shoal.estimators.reservoir import WeightedSamplingBoostClassifier as WeightedSamplingBoostClassifier
    from shoal.evaluation.compare import compare as compare
    from shoal.evaluation.progressive import evaluate as evaluate
    from shoal.files import load as load
    from shoal.files import save as save
    from shoal.streams import open_stream as open_stream

__all__ = ["__version__", *sorted(_WHERE), *_MODULES]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        return getattr(import_module(_WHERE[name]), name)
    if name in _MODULES or name in _EXTRAS:
        return import_module(f"shoal.{name}")
    raise AttributeError(f"module 'shoal' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
