"""Estimators that follow scikit-learn's conventions, over `shoal.model`."""
