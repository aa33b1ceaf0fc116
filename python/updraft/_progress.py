"""Progress of long work on stderr."""

from __future__ import annotations

import sys
import time
from types import TracebackType

_WIDTH = 30
_LINE_SECONDS = 5.0


class ProgressBar:
    """A bar that is wiped at the end; if stderr is not a terminal, a line now and then."""

    def __init__(self) -> None:
        self._start = time.monotonic()
        self._bar = sys.stderr.isatty()
        self._next = self._start + (0.0 if self._bar else _LINE_SECONDS)

    def __enter__(self) -> ProgressBar:
        return self

    def __call__(self, share: float) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        left = ""
        if share > 0.005:
            left = f", about {(now - self._start) * (1.0 - share) / share:.0f} s left"
        if self._bar:
            filled = int(share * _WIDTH)
            bar = "#" * filled + "." * (_WIDTH - filled)
            sys.stderr.write(f"\r[{bar}] {int(100 * share):3d} %{left}\033[K")
        else:
            self._next = now + _LINE_SECONDS
            sys.stderr.write(f"updraft: {int(100 * share)} % done{left}\n")
        sys.stderr.flush()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
