# Loaded by brisk before a program, in runs that are not timed: reports, when the program ends, what
# CPython says of its collections of cycles.
import sys


def _load_hidden():
    """Loads the sitecustomize that this one hides, if there is one, and takes our folder away."""
    import os

    folder = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [place for place in sys.path if os.path.abspath(place) != folder]
    ours = sys.modules.pop("sitecustomize")
    try:
        import sitecustomize  # noqa: F401
    except ImportError as error:
        if error.name != "sitecustomize":
            raise
    finally:
        # The importer that loads this one looks for it.
        sys.modules.setdefault("sitecustomize", ours)


def _watch():
    import atexit
    import gc
    import os
    import time

    report = os.environ.get("BRISK_CPYTHON_REPORT")
    if not report:
        return
    process = os.getpid()
    # What starting the interpreter collected is nothing of the program.
    before = [generation["collections"] for generation in gc.get_stats()]
    clock = time.perf_counter_ns
    begun = longest = total = collections = 0

    def collected(phase, info):
        nonlocal begun, longest, total, collections
        if phase == "start":
            begun = clock()
        else:
            took = clock() - begun
            total += took
            longest = max(longest, took)
            collections += 1

    def tell():
        if os.getpid() != process:
            return
        gc.callbacks[:] = [callback for callback in gc.callbacks if callback is not collected]
        counts = [
            generation["collections"] - at_first
            for generation, at_first in zip(gc.get_stats(), before)
        ]
        longest_text = f"{longest / 1e3:.3f}" if collections else "-"
        line = (
            f"brisk-cpython minor={sum(counts[:-1])} major={counts[-1]} "
            f"pause_microseconds={total / 1e3:.3f} max_pause_microseconds={longest_text}\n"
        )
        try:
            with open(report, "a") as out:
                out.write(line)
        except OSError:
            pass

    gc.callbacks.append(collected)
    atexit.register(tell)


_watch()
_load_hidden()
