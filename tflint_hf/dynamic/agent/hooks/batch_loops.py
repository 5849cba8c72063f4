"""Training loops of the program's own over a tf.data dataset, cut to a few batches so that what follows is seen."""

import dis
import functools
import sys

FRAMES_BETWEEN = 6
"""A progress bar or an enumerate of the program's own may stand between its loop and the dataset."""


class BatchLoops:
    """Knows which loops of the program draw batches at the moment, and ends those in which it trains.

    The first pass of a loop gets as many batches as a loop may have, each later one a single batch: a program that
    divides by their number goes on.
    """

    def __init__(self, context):
        self._context = context
        self._heads = {}
        self._running = {}
        self._trained = {}

    def install(self, module):
        owner = module.OwnedIterator
        original = owner.__next__
        loops = self

        @functools.wraps(original)
        def next_batch(iterator):
            place = loops._place(sys._getframe(1))
            if place is None:
                return original(iterator)
            return loops._next(original, iterator, place)

        owner.__next__ = next_batch

    def trains(self):
        """The program makes a training step: the loops around it are training loops."""
        frame = sys._getframe(1)
        while frame is not None:
            for loop in self._running.get(id(frame), ()):
                if loop[0] is frame.f_code:  # and no loop of a frame that was at the same address before
                    self._trained.setdefault(loop, 0)
            frame = frame.f_back

    def _place(self, frame):
        for _ in range(FRAMES_BETWEEN):
            if frame is None:
                return None
            if self._context.places.is_users(frame.f_code.co_filename):
                loop = (frame.f_code, frame.f_lasti)
                return (id(frame), loop) if self._is_loop(loop) else None
            frame = frame.f_back
        return None

    def _is_loop(self, place):
        """Whether the instruction is the head of a `for`: only that takes the end of a dataset for its own end."""
        if place not in self._heads:
            code, instruction = place
            self._heads[place] = code.co_code[instruction] == dis.opmap["FOR_ITER"]
        return self._heads[place]

    def _next(self, original, iterator, place):
        frame, loop = place
        taken = iterator.__dict__.setdefault("_tflint_hf_taken", 0)
        if loop in self._trained and taken >= self._allowed(loop):
            self._trained[loop] += 1
            self._running.get(frame, set()).discard(loop)
            raise StopIteration
        try:
            batch = original(iterator)
        except StopIteration:
            self._running.get(frame, set()).discard(loop)
            raise
        iterator.__dict__["_tflint_hf_taken"] = taken + 1
        self._running.setdefault(frame, set()).add(loop)
        return batch

    def _allowed(self, loop):
        return 1 if self._trained[loop] else self._context.job["loop_steps"]
