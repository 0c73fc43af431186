"""The published tables, run again: settings and published numbers as data files, protocols as code.

To add a table: a settings file in `settings/`, its published numbers in `published/`, and, where no protocol
of `shoal.reproduce.protocols` fits, a function with the same signature and a line in `PROTOCOLS`.
"""
