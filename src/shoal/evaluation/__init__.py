"""Measuring models on streams: test then train, compare methods, report.

Nothing here knows any particular model: whatever answers a chunk of rows and then learns it can be
measured (`progressive.Evaluated`).
"""
