import bz2
import hashlib
import http.server
import lzma
import threading

import numpy as np
import pytest
import sklearn.datasets
from tests.streams.stream_helpers import assert_same, whole

from shoal import datasets
from shoal.datasets.catalogue import DATASETS, DataSet, Part
from shoal.errors import DataFileError, InputError
from shoal.streams import open_stream

TEXT = b"+1 1:0.5 2:1\n-1 2:0.25\n"
CHECKSUM = hashlib.sha256(TEXT).hexdigest()[:12]
RESPONSES = {
    "/good": TEXT,
    "/good.bz2": bz2.compress(TEXT),
    "/windows": TEXT.replace(b"\n", b"\r\n") + b"\r\n\r\n",
    "/changed": TEXT + b"-1 1:3\n",
    "/short": TEXT,  # less than it announces
    "/short.bz2": bz2.compress(TEXT)[:-5],
}


class Handler(http.server.BaseHTTPRequestHandler):
    requests: list[str] = []  # noqa: RUF012 - the server makes the instances, so the list is the class's

    def do_GET(self):
        self.requests.append(self.path)
        body = RESPONSES.get(self.path)
        if body is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body) + 10 * (self.path == "/short")))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        pass


@pytest.fixture(scope="module")
def site():
    """A site on this machine that offers the files of RESPONSES."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """An empty cache, and no folder of data."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "SHOAL_DATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Handler.requests.clear()
    return tmp_path / "shoal" / "datasets"


@pytest.fixture
def offered(cache, site, monkeypatch):
    """Enters a data set into the catalogue whose file is at an address of the site."""

    def enter(address, checksum=CHECKSUM):
        url = address if address is None or "//" in address else site + address
        part = Part("toy.libsvm", checksum, url)
        monkeypatch.setitem(DATASETS, "toy", DataSet("toy", "classification", 2, 2, (-1.0, 1.0), parts=(part,)))

    return enter


@pytest.mark.parametrize("address", ["/good", "/good.bz2", "/windows"])
def test_download_then_cache(offered, cache, address):
    """The first load downloads, verifies and keeps the file; the second asks nobody."""
    offered(address)
    X, y = datasets.load("toy").arrays(dense=True)
    assert X.tolist() == [[0.5, 1.0], [0.0, 0.25]]
    assert y.tolist() == [1.0, -1.0]
    assert (cache / "toy.libsvm").read_bytes() == TEXT
    assert np.array_equal(datasets.load("toy").arrays(dense=True)[0], X)
    assert Handler.requests == [address]


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("/changed", "has the checksum .* expected"),
        ("/absent", "answers 404"),
        ("/short", "cut short"),
        ("/short.bz2", "cut short"),
        ("http://127.0.0.1:9/good", "cannot reach 127.0.0.1"),
        (None, "no site offers"),
    ],
)
def test_failed_download_keeps_nothing(offered, cache, address, message):
    """A failed or altered download is an error that says what happened, and leaves nothing in the cache."""
    offered(address)
    with pytest.raises(DataFileError, match=message):
        datasets.load("toy")
    assert not cache.exists() or list(cache.iterdir()) == []


def test_every_failure_says_what_to_do(offered):
    """When a file cannot be had, the message says where to put a copy."""
    offered("/absent")
    with pytest.raises(DataFileError, match=r"put toy\.libsvm .* into the folder that SHOAL_DATA names"):
        datasets.load("toy")


@pytest.mark.parametrize("suffix", ["", ".xz"])
def test_data_folder_comes_first(offered, tmp_path, monkeypatch, suffix):
    """A file in the folder that SHOAL_DATA names is taken before anything is asked of a site."""
    offered("/good")
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("SHOAL_DATA", str(folder))
    text = b"1 1:7\n"
    (folder / f"toy.libsvm{suffix}").write_bytes(lzma.compress(text) if suffix else text)
    assert datasets.load("toy").arrays(dense=True)[0].tolist() == [[7.0, 0.0]]
    assert Handler.requests == []


@pytest.mark.parametrize("name", ["sklearn-breast-cancer", "digits", "iris", "wine", "diabetes-progression"])
def test_what_scikit_learn_ships(cache, name):
    """The sets that scikit-learn ships need neither download nor data folder, and are as described."""
    described = datasets.describe(name)
    stream = datasets.load(name)
    X, y = stream.arrays(dense=True)
    expected = getattr(sklearn.datasets, described.note)(return_X_y=True)
    assert np.array_equal(X, expected[0])
    assert np.array_equal(y, expected[1])
    assert X.shape == (described.n_rows, described.n_features)
    assert stream.n_rows == described.n_rows
    if described.task == "classification":
        assert sorted(set(y)) == list(described.classes) == stream.classes
    else:
        assert stream.classes is None


def test_names_open_as_streams(cache):
    """A data set's name opens wherever a path does."""
    assert_same(whole(open_stream("iris")), whole(datasets.load("iris")))


def test_synthetic_names_load_and_describe(cache):
    """Synthetic streams load and are described by name, with parameters."""
    assert datasets.load("sea:n=10,seed=1").n_rows == 10
    described = datasets.describe("led:n=50")
    assert (described.n_rows, described.n_features, len(described.classes)) == (50, 24, 10)


def test_unknown_name():
    """An unknown name is an error that lists the names there are."""
    with pytest.raises(InputError, match="there are heart, breast-cancer"):
        datasets.load("no such set")


def test_no_scaled_form(cache):
    """Asking for a scaled form where none is known is an error."""
    with pytest.raises(InputError, match="no scaled form"):
        datasets.load("iris", scaled=True)


def test_catalogue_is_sound():
    """Names are unique, files have checksums of 12 digits, and addresses are those of data sets' own sites."""
    for name, dataset in DATASETS.items():
        assert name == dataset.name
        assert name in datasets.names()
        assert (dataset.task == "classification") == bool(dataset.classes)
        for part in (*dataset.parts, *dataset.scaled):
            assert len(part.sha256) == 12
            int(part.sha256, 16)
            assert part.url is None or "://www.csie.ntu.edu.tw/" in part.url or "://yann.lecun.com/" in part.url


FILES = sorted(n for n, d in DATASETS.items() if d.parts)


@pytest.mark.data
@pytest.mark.parametrize("name", FILES)
def test_files_are_as_described(shoal_data, name):
    """Every set in the data folder has the rows, features and labels that the catalogue says."""
    described = datasets.describe(name)
    stream = datasets.load(name)
    n_rows, classes, widest, n_names = 0, set(), 0, 0
    for chunk in stream:
        n_rows += chunk.rows.n_rows
        classes |= set(chunk.labels.tolist())
        widest = max(widest, int(chunk.rows.indices.max(initial=-1)) + 1)
        n_names = len(set(chunk.space.columns.tolist()))
    assert n_rows == described.n_rows
    assert n_names == described.n_features
    if described.form == "libsvm":
        assert widest <= described.n_features
    if described.task == "classification":
        assert sorted(classes) == list(described.classes)


@pytest.mark.data
@pytest.mark.parametrize(
    "name", [n for n in FILES if DATASETS[n].form == "libsvm" and DATASETS[n].n_rows < 30_000]
)
def test_values_are_those_scikit_learn_reads(shoal_data, name):
    """LIBSVM files give exactly the values and labels that scikit-learn reads, part after part."""
    X, y = datasets.load(name).arrays(dense=True)
    start = 0
    for part in DATASETS[name].parts:
        with lzma.open(shoal_data / f"{part.path}.xz") as file:
            expected, labels = sklearn.datasets.load_svmlight_file(file, zero_based=False)
        rows = slice(start, start + len(labels))
        values = expected.toarray()[:, : X.shape[1]]
        assert np.array_equal(X[rows, : values.shape[1]], values)
        assert np.array_equal(y[rows], labels)
        start = rows.stop
    assert start == len(y)


@pytest.mark.data
def test_checksums_are_those_of_the_files(shoal_data):
    """The catalogue's checksums are those of the uncompressed files in the data folder."""
    for dataset in DATASETS.values():
        for part in (*dataset.parts, *dataset.scaled):
            with lzma.open(shoal_data / f"{part.path}.xz") as file:
                assert hashlib.file_digest(file, "sha256").hexdigest().startswith(part.sha256), part.path


@pytest.mark.data
def test_scaled_forms_lie_within_one(shoal_data):
    """The scaled form of a set has the same labels, and its training part lies within [-1, 1]."""
    for name in ("heart", "german", "splice"):
        X, y = datasets.load(name).arrays(dense=True)
        scaled, labels = datasets.load(name, scaled=True).arrays(dense=True)
        assert np.array_equal(y, labels)
        assert scaled.shape == X.shape
        assert np.abs(scaled[:270]).max() <= 1.0


@pytest.mark.data
def test_one_file_of_a_set_is_a_name_too(shoal_data):
    """A published file's own name, such as a9a.t, loads that file alone."""
    assert datasets.load("a9a.t").arrays()[0].shape == (16281, 123)
    assert datasets.is_name("heart_scale")


@pytest.mark.data
def test_scaled_images_lie_between_zero_and_one(shoal_data):
    """Pixels are 0 to 255, or 0 to 1 when scaled."""
    for scaled, largest in ((False, 255.0), (True, 1.0)):
        chunk = next(iter(datasets.load("mnist", scaled=scaled)))
        assert chunk.rows.values.max() == largest
        assert chunk.space.n_features == 784
