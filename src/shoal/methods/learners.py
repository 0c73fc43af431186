"""Banks by name, with settings of the learners' own if need be: "hoeffding_tree:leaves=majority,tau=0.1"."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from inspect import Parameter
from typing import Any

from shoal.ensemble import Bank
from shoal.errors import InputError, did_you_mean
from shoal.methods.values import value_of
from shoal.registry import BANKS, REGRESSION_BANKS, find
from shoal.settings import is_number

OF_THE_METHOD = ("n_learners", "feature_fraction")
WITHOUT_RATE = ("ogd", "ridge", "hoeffding_tree")  # regressors that a method's rate is not for
COMMA = re.compile(r",(?![^(]*\))")  # but those of a tuple


def named_bank(learner: str, n_learners: int, feature_fraction: float) -> Bank:
    """So many learners of a name, each on such a share of the features."""
    name = learner.partition(":")[0]
    if name in REGRESSION_BANKS and name not in BANKS:
        raise InputError(
            f"learner is {name!r}, which predicts numbers: give it to a regressor, such as the method ogb-span; "
            f"for classes there are {', '.join(BANKS)}."
        )
    return _made(learner, BANKS, {"n_learners": n_learners, "feature_fraction": feature_fraction})


def named_regressors(learner: str, n_learners: int, rate: Any) -> Bank:
    """So many regressors of a name; rate: None for their own, and for kinds that are not told one."""
    told = {} if rate is None or learner.partition(":")[0] in WITHOUT_RATE else {"rate": rate}
    return _made(learner, REGRESSION_BANKS, {"n_learners": n_learners, **told})


def _made(learner: str, banks: Mapping[str, str], given: Mapping[str, Any]) -> Bank:
    """The bank of a name, with the settings given unless the name brings its own."""
    name, _, listed = learner.partition(":")
    make = find("learner", banks, name)
    settings = dict(_setting(learner, item) for item in COMMA.split(listed) if item.strip())
    known = {k: p for k, p in inspect.signature(make).parameters.items() if k not in OF_THE_METHOD}
    for key, value in settings.items():
        if key not in known:
            raise InputError(
                f"learner {learner!r}: {name} has no setting {key!r}; it has {', '.join(known)}."
                f"{did_you_mean(key, known)}"
            )
        if not is_like(value, known[key]):
            raise InputError(f"learner {learner!r}: {key} is {value!r}; expected {words_for(known[key])}.")
    bank: Bank = make(**{**given, **settings})
    return bank


def _setting(learner: str, item: str) -> tuple[str, Any]:
    key, equals, value = item.partition("=")
    if not equals:
        raise InputError(f"learner {learner!r}: {item!r} is no setting; write NAME:SETTING=VALUE,SETTING=VALUE.")
    return key.strip(), value_of(value)


def is_like(value: Any, setting: Parameter) -> bool:
    """Whether the value is of the kind that the default is of; what it may be, the bank itself checks."""
    if value is None:
        return "None" in str(setting.annotation)
    if isinstance(setting.default, bool | str):
        return isinstance(value, type(setting.default))
    if isinstance(value, tuple):
        return "Turns" in str(setting.annotation) and len(value) > 0 and all(map(is_number, value))
    return is_number(value) and (isinstance(setting.default, float | tuple) or isinstance(value, int))


def words_for(setting: Parameter) -> str:
    """What is expected of a setting, in words."""
    kinds = {bool: "True or False", str: "a word", int: "a whole number", float: "a number", tuple: "numbers"}
    return f"{kinds[type(setting.default)]} such as {setting.default!r}"
