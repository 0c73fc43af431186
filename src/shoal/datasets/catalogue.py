"""The data sets that shoal knows by name: what they hold, which files they consist of, where these come from.

A file's checksum is the start of the SHA-256 of its text, uncompressed, with Unix line ends and one final
newline. A file without an address is a form of the data that no site publishes byte for byte (rebuilt,
re-encoded or a part), so it can only be found on this machine; so can a file whose published form has
not been compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

LIBSVM_SITE = "https://www.csie.ntu.edu.tw/~cjlin/libsvmtools/datasets"
MNIST_SITE = "http://yann.lecun.com/exdb/mnist"


IN_ORDER_OF_TIME = frozenset({"electricity", "sea_stream"})


@dataclass(frozen=True)
class Part:
    """One file. path: under the data folder, less compression. sha256: the first digits. url: or None."""

    path: str
    sha256: str
    url: str | None = None


@dataclass(frozen=True)
class DataSet:
    """A data set by name.

    task: "classification" or "regression". form: "libsvm", "csv", "idx", "cifar" or "sklearn".
    n_features: features, or columns where some are nominal. classes: labels in order; none for regression.
    parts: the files, in order, that make up the data; scaled: those of its form scaled to [-1, 1] or [0, 1],
        the same ones if it is published scaled.
    """

    name: str
    task: str
    n_rows: int
    n_features: int
    classes: tuple[Any, ...] = ()
    form: str = "libsvm"
    parts: tuple[Part, ...] = ()
    scaled: tuple[Part, ...] = ()
    note: str = ""

    @property
    def ordered(self) -> bool:
        """Whether the order of the rows carries meaning, as under drift."""
        return self.form == "synthetic" or self.name in IN_ORDER_OF_TIME


def _page(file: str, sha256: str, address: str | None = None) -> Part:
    """A file of LIBSVM text; `address` is where the LIBSVM site has it, if it does."""
    return Part(f"{file}.libsvm", sha256, f"{LIBSVM_SITE}/{address}" if address else None)


def _binary(
    name: str,
    n_rows: int,
    n_features: int,
    parts: list[Part],
    scaled: list[Part] | None = None,
    classes: tuple[float, float] = (-1.0, 1.0),
    note: str = "",
) -> DataSet:
    return DataSet(
        name, "classification", n_rows, n_features, classes, "libsvm", tuple(parts), tuple(scaled or ()), note
    )


def _regression(
    name: str, n_rows: int, n_features: int, part: Part, scaled: Part | None = None, note: str = ""
) -> DataSet:
    return DataSet(
        name, "regression", n_rows, n_features, (), "libsvm", (part,), (scaled,) if scaled else (), note
    )


def _csv(name: str, n_rows: int, n_features: int, classes: tuple[Any, ...], sha256: str, note: str) -> DataSet:
    return DataSet(
        name, "classification", n_rows, n_features, classes, "csv", (Part(f"{name}.csv", sha256),), (), note
    )


def _numbered(first: int, last: int) -> tuple[float, ...]:
    return tuple(float(c) for c in range(first, last + 1))


_ADULT = [_page("a9a", "f5d5ffd8d865", "binary/a9a"), _page("a9a.t", "7d8c09f1120d", "binary/a9a.t")]
_WEBPAGE = [_page("w8a", "6a9fa8fd5f52", "binary/w8a")]
_IJCNN1 = [
    _page("ijcnn1", "7fe291672c3f", "binary/ijcnn1.bz2"),
    _page("ijcnn1.t", "e7b0bbd51864", "binary/ijcnn1.t.bz2"),
]
_SVMGUIDE3 = [_page("svmguide3", "ada17021fdf5", "binary/svmguide3"), _page("svmguide3.t", "98c9bba028c1")]
_MUSHROOMS = [_page("mushrooms", "f39a4eb628dc", "binary/mushrooms")]

_BINARY = (
    _binary(
        "heart",
        270,
        13,
        [_page("heart", "a29dc2c92ec1", "binary/heart")],
        [_page("heart_scale", "5defa0a4c4c5", "binary/heart_scale")],
    ),
    _binary(
        "breast-cancer",
        683,
        10,
        [_page("breast-cancer", "445505b580a8", "binary/breast-cancer")],
        [_page("breast-cancer_scale", "3c90cd8f8848")],
        classes=(2.0, 4.0),
        note="feature 1 is the sample's number, as published",
    ),
    _binary(
        "australian",
        690,
        14,
        [_page("australian", "a3b5960775ac", "binary/australian")],
        [_page("australian_scale", "86799bcc4dbc")],
    ),
    _binary(
        "diabetes",
        768,
        8,
        [_page("diabetes", "419ba20be486", "binary/diabetes")],
        [_page("diabetes_scale", "0c07eb4c49e7")],
        note="+1 are the healthy, as published",
    ),
    _binary(
        "german",
        1000,
        24,
        [_page("german.numer", "49cd2d01c2b2", "binary/german.numer")],
        [_page("german.numer_scale", "97637cc6b994")],
        note="+1 are the bad credits",
    ),
    _binary(
        "splice",
        3175,
        60,
        [_page("splice", "eee33566cfe8", "binary/splice"), _page("splice.t", "f40da7cfd178", "binary/splice.t")],
        [_page("splice_scale", "0ce7d1449c55"), _page("splice_scale.t", "ff2976cc6271")],
        note="training part, then test part",
    ),
    _binary("mushrooms", 8124, 112, _MUSHROOMS, _MUSHROOMS, (1.0, 2.0), "all features are 0 or 1"),
    _binary(
        "ionosphere", 351, 34, [_page("ionosphere", "f8b55e38428b")], [_page("ionosphere_scale", "4e8df050d5b6")]
    ),
    _binary("sonar", 208, 60, [_page("sonar", "f712bac2b1d9")], [_page("sonar_scale", "8b61290b016e")]),
    _binary(
        "svmguide3",
        1284,
        21,
        _SVMGUIDE3,
        _SVMGUIDE3,
        note="training part, then test part, whose 41 rows are all +1",
    ),
    _binary("adult", 48842, 123, _ADULT, _ADULT, note="a9a, then a9a.t; all features are 0 or 1"),
    _binary("webpage", 49749, 300, _WEBPAGE, _WEBPAGE, note="w8a, training part; all features are 0 or 1"),
    _binary("ijcnn1", 141691, 22, _IJCNN1, _IJCNN1, note="training part, then test part; published scaled"),
    _binary("fourclass", 862, 2, [_page("fourclass", "7b36a3beaa48", "binary/fourclass")]),
    _binary(
        "covtype.binary.first20k",
        20000,
        54,
        [_page("covtype.binary.first20k", "f8edb96a316f")],
        classes=(1.0, 2.0),
        note="the first 20000 rows only, which are not distributed like the whole",
    ),
)

_MULTICLASS = (
    DataSet(
        "pendigits",
        "classification",
        10992,
        16,
        _numbered(0, 9),
        parts=(
            _page("pendigits", "6e8a2f318a24", "multiclass/pendigits"),
            _page("pendigits.t", "5ddb2f034e1c", "multiclass/pendigits.t"),
        ),
        note="training part, then test part",
    ),
    DataSet(
        "covtype.first20k",
        "classification",
        20000,
        54,
        _numbered(1, 7),
        parts=(_page("covtype.first20k", "8693068ffa21"),),
        note="the first 20000 rows only, which are not distributed like the whole",
    ),
    DataSet(
        "mnist",
        "classification",
        70000,
        784,
        _numbered(0, 9),
        form="idx",
        parts=(
            Part("mnist/train-images-idx3-ubyte", "ba891046e650", f"{MNIST_SITE}/train-images-idx3-ubyte.gz"),
            Part("mnist/train-labels-idx1-ubyte", "65a50cbbf4e9", f"{MNIST_SITE}/train-labels-idx1-ubyte.gz"),
            Part("mnist/t10k-images-idx3-ubyte", "0fa7898d5092", f"{MNIST_SITE}/t10k-images-idx3-ubyte.gz"),
            Part("mnist/t10k-labels-idx1-ubyte", "ff7bcfd416de", f"{MNIST_SITE}/t10k-labels-idx1-ubyte.gz"),
        ),
        note="training part, then test part; pixels are 0 to 255, scaled ones 0 to 1",
    ),
    DataSet(
        "cifar10-subset",
        "classification",
        5000,
        3072,
        _numbered(0, 9),
        form="cifar",
        parts=(
            Part("cifar10-subset/train_first4000.bin", "0993cf8b8e43"),
            Part("cifar10-subset/test_first1000.bin", "8314c96d7cd6"),
        ),
        note="the first 4000 training and 1000 test images; pixels are 0 to 255, scaled ones 0 to 1",
    ),
    _csv("balance", 625, 4, ("B", "L", "R"), "b9f9882a5cff", "sorted by its features"),
    _csv("car", 1728, 6, ("acc", "good", "unacc", "vgood"), "a45970f71871", "six nominal columns"),
    _csv("movement_libras", 360, 90, _numbered(1, 15), "460612e74ff5", "curves of hand movements"),
)

_DRIFTING = (
    _csv("electricity", 45312, 6, (0.0, 1.0), "cdf901433885", "prices going up or down, in order of time"),
    _csv(
        "sea_stream",
        40000,
        3,
        (0.0, 1.0),
        "d5d55f2ebb4c",
        "SEA concepts, as published by others; `sea` makes more",
    ),
)

_REGRESSION = (
    _regression(
        "abalone",
        4177,
        8,
        _page("abalone", "b4b37cab1676", "regression/abalone"),
        _page("abalone_scale", "7f1f6ca7f636", "regression/abalone_scale"),
    ),
    _regression(
        "housing",
        506,
        13,
        _page("housing", "91b76f363bf9"),
        _page("housing_scale", "bbacd2f526a0", "regression/housing_scale"),
        "holds a variable on race",
    ),
    _regression("cadata", 20640, 8, _page("cadata", "ffefbe2e9f0a")),
    _regression("cpuact", 8192, 21, _page("cpuact", "56fa33789b70")),
    _regression("cpusmall", 8192, 12, _page("cpusmall", "99003b4ac143")),
    _regression("bank32nh", 8192, 32, _page("bank32nh", "8d85287517dd")),
    _regression("kin8nm", 8192, 8, _page("kin8nm", "9dd7374b5468")),
    _regression("ailerons", 13750, 40, _page("ailerons", "9e11885d7aa0")),
    _regression("elevators", 16599, 18, _page("elevators", "3437669c76ce")),
    _regression("2dplanes", 40768, 10, _page("2dplanes", "e3cee98ddca3")),
    _regression("airfoil", 1503, 5, _page("airfoil", "b79f80cad575")),
    _regression("concrete", 1030, 8, _page("concrete", "8c09b516a742")),
    _regression("energy", 768, 8, _page("energy", "0c7c761c3e3a"), note="heating load"),
    _regression("power-plant", 9568, 4, _page("power-plant", "0a281fee893c")),
    _regression("protein-tertiary", 45730, 9, _page("protein-tertiary", "801c0b4902f8")),
    _regression("winequality-red", 1599, 11, _page("winequality-red", "31c8e1751505")),
    _regression("winequality-white", 4898, 11, _page("winequality-white", "d99f57ee1617")),
    _regression("yacht", 308, 6, _page("yacht", "240214324d5f")),
)

# What scikit-learn ships; in its order.
_BUNDLED = (
    DataSet(
        "sklearn-breast-cancer", "classification", 569, 30, _numbered(0, 1), "sklearn", note="load_breast_cancer"
    ),
    DataSet("digits", "classification", 1797, 64, _numbered(0, 9), "sklearn", note="load_digits"),
    DataSet("iris", "classification", 150, 4, _numbered(0, 2), "sklearn", note="load_iris"),
    DataSet("wine", "classification", 178, 13, _numbered(0, 2), "sklearn", note="load_wine"),
    DataSet("diabetes-progression", "regression", 442, 10, (), "sklearn", note="load_diabetes"),
)

DATASETS: dict[str, DataSet] = {d.name: d for d in (*_BINARY, *_MULTICLASS, *_DRIFTING, *_REGRESSION, *_BUNDLED)}
