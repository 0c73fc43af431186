"""A progress bar on standard error for long runs; silent when that is not a terminal."""

from __future__ import annotations

from time import monotonic
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

SETTLED_SECONDS = 0.2  # speeds over less are noise


class ProgressBar:
    """Shows examples done, the current error, examples a second and the time left.

    Give it as `on_progress` to `evaluate` or `compare`, inside `with`.

    quiet: show nothing. console: where to draw; by default standard error.
    """

    def __init__(self, task: str = "", *, quiet: bool = False, console: Console | None = None) -> None:
        console = console or Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TextColumn("{task.fields[status]}", markup=False),
            TimeRemainingColumn(compact=True),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self._id = self._bar.add_task(task, total=None, status="")
        self._task = task
        self._since = monotonic()
        self._before = 0  # examples already done when the clock was started

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._bar.stop()

    def __call__(self, n: int, error: float, fraction: float | None, task: str | None = None) -> None:
        if task is not None and task != self._task:
            self._task, self._since, self._before = task, monotonic(), n
        elapsed = monotonic() - self._since
        speed = f"{(n - self._before) / elapsed:,.0f}/s" if elapsed > SETTLED_SECONDS else ""
        self._bar.update(
            self._id,
            description=self._task,
            total=None if fraction is None else 1.0,
            completed=fraction or 0.0,
            status=f"{n:,} examples  error {error:.2%}  {speed}",
        )
