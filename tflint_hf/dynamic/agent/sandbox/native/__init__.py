"""Libraries that read and write files in C++, C or Rust: they are given physical paths of the merged view."""

from . import file_io, libraries, saving
from .paths import Paths


def install(context, overlay):
    paths = Paths(overlay)
    for hooks in (file_io.HOOKS, saving.HOOKS, libraries.HOOKS):
        for module, function in hooks.items():
            context.after_import.call(module, lambda found, function=function: function(found, paths))
