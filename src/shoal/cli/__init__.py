"""The command line. It drives models directly and never imports scikit-learn."""
