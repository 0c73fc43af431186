"""Numbers as people read them, the same in every table and chart."""

from __future__ import annotations

from math import floor, isfinite, log10

NO_VALUE = "–"
READABLE = {
    "logloss": "log loss",
    "auc": "AUC",
    "pr_auc": "average precision",
    "kappa_temporal": "temporal kappa",
    "mcc": "MCC",
    "f1": "F1",
}
IN_PER_CENT = frozenset({"error", "accuracy", "balanced_accuracy"})


def percent(share: float, digits: int = 2) -> str:
    """A share as per cent, without the sign."""
    return f"{100.0 * share:.{digits}f}" if isfinite(share) else NO_VALUE


def metric_name(name: str) -> str:
    """What a report calls a metric."""
    return READABLE.get(name, name.replace("_", " "))


def metric(name: str, value: float) -> str:
    """The value of a metric: shares in per cent, the rest as they are."""
    if not isfinite(value):
        return NO_VALUE
    return f"{percent(value)} %" if name in IN_PER_CENT else f"{value:.4f}"


def with_spread(value: float, spread: float) -> str:
    """A mean error in per cent and its standard error, where there is one."""
    return percent(value) + (f" ± {percent(spread)}" if isfinite(spread) else "")


def p_value(p: float) -> str:
    """A p-value to three places."""
    if not isfinite(p):
        return NO_VALUE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_told(p: float) -> str:
    """A p-value as part of a sentence."""
    told = p_value(p)
    return f"p {told}" if told.startswith("<") else f"p = {told}"


def rounded(value: float, figures: int = 3) -> str:
    """A positive number to so many significant figures, thousands grouped."""
    if not value or not isfinite(value):
        return f"{value:.0f}"
    digits = max(0, figures - 1 - floor(log10(abs(value))))
    step = 10.0 ** (floor(log10(abs(value))) - figures + 1)
    return f"{value:.{digits}f}" if digits else f"{round(value / step) * step:,.0f}"


def short(value: float) -> str:
    """A count on an axis: 500, 20k, 1.5M."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:g}{unit}"
    return f"{value:g}"


def duration(seconds: float) -> str:
    """Seconds, or minutes and hours where they are many."""
    if seconds < 100.0:
        return f"{rounded(seconds)} s"
    minutes = round(seconds / 60.0)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60:02d} min"


def memory(size: int | None) -> str:
    """Bytes as megabytes."""
    return NO_VALUE if size is None else f"{size / 1e6:,.0f} MB"
