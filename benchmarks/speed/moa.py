"""MOA through CapyMOA, whose wheel carries it: importing this starts a Java virtual machine."""

from __future__ import annotations

from typing import Any

import capymoa  # noqa: F401, it starts Java, without which nothing below can be imported
import jpype
import numpy as np
from benchmarks.speed.streams import Stream
from com.yahoo.labs.samoa.instances import Attribute, DenseInstance, InstancesHeader, SparseInstance
from com.yahoo.labs.samoa.instances import Instances as JavaInstances
from java.util import ArrayList
from moa.classifiers import meta
from moa.evaluation import BasicClassificationPerformanceEvaluator, EfficientEvaluationLoops
from moa.streams import CachedInstancesStream


def header_of(stream: Stream) -> Any:
    """The columns of a stream, its class last."""
    columns, classes = ArrayList(), ArrayList()
    for j in range(stream.shape.n_features):
        columns.add(Attribute(f"x{j}"))
    for k in range(stream.shape.n_classes):
        classes.add(str(k))
    columns.add(Attribute("class", classes))
    header = InstancesHeader(JavaInstances("stream", columns, 0))
    header.setClassIndex(stream.shape.n_features)
    return header


def instance_of(stream: Stream, t: int) -> Any:
    """Row t in Java's memory, sparse if the stream is."""
    d, n = stream.shape.n_features, stream.shape.n_stored
    own = slice(t * n, (t + 1) * n)
    values = jpype.JArray(jpype.JDouble)(np.append(stream.rows.values[own], float(stream.classes[t])))
    if stream.shape.is_dense:
        return DenseInstance(1.0, values)
    places = jpype.JArray(jpype.JInt)(np.append(stream.rows.indices[own], d).astype(np.int32))
    return SparseInstance(1.0, values, places, d + 1)


class Instances:
    """A stream in Java's memory."""

    def __init__(self, stream: Stream) -> None:
        self.header = header_of(stream)
        self.all = JavaInstances(self.header, len(stream.classes))
        for t in range(len(stream.classes)):
            instance = instance_of(stream, t)
            instance.setDataset(self.header)
            self.all.add(instance)


def classifier(name: str, options: str, instances: Instances) -> Any:
    """A fresh learner of MOA's."""
    learner = getattr(meta, name)()
    learner.getOptions().setViaCLIString(options)
    learner.setModelContext(instances.header)
    learner.prepareForUse()
    return learner


def race(learner: Any, instances: Instances, n: int) -> int:
    """Test, then train, on the first n instances, in Java; mistakes."""
    evaluator = BasicClassificationPerformanceEvaluator()
    evaluator.prepareForUse()
    stream = CachedInstancesStream(instances.all)
    EfficientEvaluationLoops.PrequentialEvaluation(stream, learner, evaluator, None, n, n, False, False)
    return round(n * float(evaluator.getFractionIncorrectlyClassified()))
