from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from tests.evaluation.fakes import MajorityModel, in_chunks, make_chunk

from shoal.evaluation import formats
from shoal.evaluation.charts import Line, line_chart
from shoal.evaluation.compare import Comparison, compare
from shoal.evaluation.markup import Markup, join, tag
from shoal.evaluation.order import Generated, Held
from shoal.evaluation.progressive import evaluate
from shoal.evaluation.result import Result
from shoal.evaluation.svg import Scale, spread_out

WITHOUT_END = {"meta", "br"}
HOSTILE = "<script>alert('&')</script>"


class Reader(HTMLParser):
    """Checks that every tag is closed in turn, and collects text and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.words: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.attributes += attrs
        if tag not in WITHOUT_END:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def read(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    reader.close()
    assert reader.open == []
    return reader


def chunk(seed: int, n: int = 400) -> object:
    return make_chunk((np.random.default_rng(seed).random(n) < 0.3).astype(int))


def comparison(n_methods: int, n_sets: int, trials: int) -> Comparison:
    methods = {f"method {i}": (lambda seed, i=i: MajorityModel(flip=i + 2)) for i in range(n_methods - 1)}
    methods[HOSTILE] = lambda seed: MajorityModel(seed=seed)
    sets = [Held(f"set {i}", chunk(i)) for i in range(n_sets - 1)]
    drifting = Generated("drift & <co>", lambda seed: in_chunks(chunk(seed), 90))
    return compare(methods, [*sets, drifting], trials=trials)


def result() -> Result:
    return evaluate(MajorityModel(flip=4), in_chunks(chunk(0), 50))


@pytest.mark.parametrize(("n_methods", "n_sets", "trials"), [(3, 3, 2), (9, 1, 3), (1, 1, 1), (2, 6, 1)])
def test_comparison_page(tmp_path: Path, n_methods: int, n_sets: int, trials: int) -> None:
    """The report is well-formed and names every method and data set, each with its error."""
    found = comparison(n_methods, n_sets, trials)
    path = tmp_path / "report.html"
    found.plot(path, title="A <title>", command="shoal compare 'a' > b")
    reader = read(path.read_text(encoding="utf-8"))
    text = "".join(reader.words)
    for name in (*found.methods, *found.datasets, "A <title>", "shoal compare 'a' > b"):
        assert name in text
    mean = np.mean([row["error"] for row in found.rows() if row["method"] == HOSTILE])
    if n_sets == 1:
        assert formats.percent(float(mean)) in text
    assert reader.seen.count("svg") >= 2


def pages(tmp_path: Path) -> list[str]:
    result().plot(tmp_path / "curve.html")
    comparison(8, 2, 2).plot(tmp_path / "report.html", command="shoal compare a b")
    return [(tmp_path / name).read_text(encoding="utf-8") for name in ("curve.html", "report.html")]


def test_pages_need_no_network(tmp_path: Path) -> None:
    """A report holds all that it needs: no address, no script, no outside style, image or font."""
    for page in pages(tmp_path):
        assert not re.search(r"https?:|//[a-z]|@import|url\(", page)
        reader = read(page)
        assert not {"script", "link", "img", "iframe"} & set(reader.seen)
        assert not {"src", "href", "onload"} & {name for name, _ in reader.attributes}


def test_pages_suit_every_reader(tmp_path: Path) -> None:
    """Pages adapt to darkness, paper and phones, and describe their charts in words."""
    for page in pages(tmp_path):
        assert "prefers-color-scheme: dark" in page
        assert "@media print" in page
        assert "width=device-width" in page
        assert page.count('role="img"') == page.count("aria-label")


def test_no_coordinate_is_missing(tmp_path: Path) -> None:
    """No chart contains a number that is not one."""
    for page in pages(tmp_path):
        assert not re.search(r'"[^"]*\b(nan|inf)\b[^"]*"', page)


def test_a_path_that_ends_in_svg_gets_a_picture(tmp_path: Path) -> None:
    """The curves alone, well-formed, with their style within, one drawing for each data set."""
    import xml.etree.ElementTree as ET

    result().plot(tmp_path / "curve.svg")
    comparison(3, 2, 2).plot(tmp_path / "curves.svg")
    for name, n_charts in (("curve.svg", 1), ("curves.svg", 2)):
        root = ET.parse(tmp_path / name).getroot()
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert "--ink" in (root.findtext("{http://www.w3.org/2000/svg}style") or "")
        drawings = [found for found in root.iter() if "chart" in (found.get("class") or "").split()]
        assert len(drawings) == n_charts


def test_notebook_view() -> None:
    """In a notebook a result shows the same numbers and chart, whole and without a page around them."""
    reader = read(result()._repr_html_())
    assert "svg" in reader.seen
    assert "body" not in reader.seen


def test_interrupted_is_said() -> None:
    """A report of an interrupted comparison says so."""
    from dataclasses import replace

    from shoal.evaluation.report import comparison_page

    assert "was interrupted" in comparison_page(replace(comparison(2, 1, 1), interrupted=True), "x")


def test_markup_escapes() -> None:
    """What is not markup is escaped, in text and attributes; what is, is not."""
    assert tag("p", "a < b", tag("b", "&"), title='"') == '<p title="&quot;">a &lt; b<b>&amp;</b></p>'
    assert join("<", Markup("<br>"), None) == "&lt;<br>"


def test_ticks_are_round_and_inside() -> None:
    """Ticks lie within the scale, at steps of 1, 2 or 5, or at powers of ten."""
    assert Scale(0.0, 1.0, 0, 100).ticks() == [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    assert Scale(0.031, 0.094, 0, 100).ticks() == [0.04, 0.06, 0.08]
    assert Scale(1.0, 20_000.0, 0, 100, log=True).ticks() == [1.0, 10.0, 100.0, 1000.0, 10_000.0]


def test_log_scale() -> None:
    """On a logarithmic scale equal ratios are equal distances."""
    scale = Scale(1.0, 100.0, 0.0, 200.0, log=True)
    assert scale(np.array([1.0, 10.0, 100.0])).tolist() == [0.0, 100.0, 200.0]


def test_labels_do_not_overlap() -> None:
    """Labels keep their order and distance, stay inside, and do not move without need."""
    places = spread_out([50.0, 52.0, 51.0, 200.0], 10.0, 0.0, 210.0)
    assert np.diff(np.sort(places)).min() >= 10.0 - 1e-9
    assert np.argsort(places).tolist() == [0, 2, 1, 3]
    assert places[3] == 200.0
    low = spread_out([1.0, 1.0, 1.0], 10.0, 0.0, 100.0)
    assert min(low) >= 0.0


def test_log_chart_is_drawn() -> None:
    """A curve can be drawn over a logarithmic axis, and equal values do not break the scale."""
    flat = Line("flat", np.array([1.0, 10.0, 100.0]), np.zeros(3), 0)
    chart = line_chart([flat], label="flat", x_name="examples", y_name="error, %", log_x=True)
    assert "nan" not in chart
    read(chart)


@pytest.mark.parametrize(
    ("shown", "expected"),
    [
        (formats.rounded(14346.0), "14,300"),
        (formats.rounded(0.2663), "0.266"),
        (formats.rounded(0.0), "0"),
        (formats.short(1500.0), "1.5k"),
        (formats.duration(5400.0), "90 min"),
        (formats.duration(12_000.0), "3 h 20 min"),
        (formats.p_value(0.0002), "< 0.001"),
        (formats.metric("auc", float("nan")), "–"),
        (formats.metric("balanced_accuracy", 0.5), "50.00 %"),
        (formats.with_spread(0.1, float("nan")), "10.00"),
    ],
)
def test_formats(shown: str, expected: str) -> None:
    """Numbers are written the way people read them."""
    assert shown == expected
