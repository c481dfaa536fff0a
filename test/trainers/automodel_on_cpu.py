"""`python -m nemo_automodel.cli.app CONFIG` where there is no GPU.

The recipe asks CUDA for its memory and puts the model onto a CUDA device, whatever machine it runs on. For the two modules that do so, `torch` is
one without a GPU: devices are the CPU, memory is none. Nothing else of the recipe is replaced.
"""

import sys
import types

import torch
from nemo_automodel._transformers import auto_model
from nemo_automodel.cli.app import main
from nemo_automodel.recipes.llm import train_ft


class TorchWithoutGpu(types.ModuleType):
    """torch, but for what fails without a driver."""

    cuda = types.SimpleNamespace(
        is_available=lambda: False,
        current_device=lambda: torch.device("cpu"),
        reset_peak_memory_stats=lambda: None,
        max_memory_allocated=lambda: 0,
        empty_cache=lambda: None,
    )

    def __getattr__(self, name):
        return getattr(torch, name)

    @staticmethod
    def device(kind, *_):
        return torch.device("cpu" if kind == "cuda" else kind)


auto_model.torch = train_ft.torch = TorchWithoutGpu("torch")
sys.exit(main())
