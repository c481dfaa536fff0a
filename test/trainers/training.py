"""A short training through a trainer's own entry point, and what must have come of it."""

import os
import subprocess
from pathlib import Path

import torch
import yaml
from checks import equal
from tiny_model import yarn_in_place
from transformers import AutoModelForCausalLM

STEPS = 20
# Random weights learn nothing in 20 steps at the recipe's 5e-5. Our choice: with this the loss falls by five nats.
LEARNING_RATE = 0.02
# A uniform guess over the vocabulary loses ln 151,936 = 11.93 nats per token. Our choice: a fifth of what it falls by.
LEAST_FALL = 1.0
# A process that gives the logits' memory back at every step spends more time on that than on training (measured: 82 s beside 51 s of 13 steps).
KEEP_MEMORY = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": str(2**40)}


def start(command, **environment):
    """Runs it on the CPU; its output, both streams together."""
    ended = subprocess.run(
        list(map(str, command)),
        env={**os.environ, **KEEP_MEMORY, "CUDA_VISIBLE_DEVICES": "", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if ended.returncode != 0:
        raise AssertionError(f"expected {command[0]} to end well, got {ended.returncode}: {ended.stdout[-4000:]}")
    return ended.stdout


def mean(numbers):
    return sum(numbers) / len(numbers)


def losses_fall(losses):
    """One loss per step; the last five are clearly below the first five."""
    equal(len(losses), STEPS, f"losses in {losses}")
    first, last = mean(losses[:5]), mean(losses[-5:])
    if not last < first - LEAST_FALL:
        raise AssertionError(f"expected the loss to fall by {LEAST_FALL}, found {losses}")
    return f"{STEPS} steps, loss {losses[0]:.2f} -> {losses[-1]:.2f} (means of five: {first:.2f} -> {last:.2f})"


def model_is_trained(folder):
    """The saved model has other weights than `./model`, and still its YaRN: the trainer's process had it."""
    equal(Path(folder, "config.json").is_file(), True, f"{folder}/config.json is there")
    before = AutoModelForCausalLM.from_pretrained("./model", dtype=torch.float32).state_dict()
    after = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32).state_dict()
    equal(sorted(after), sorted(before), f"{folder}: names of weights")
    same = [name for name in before if torch.equal(before[name], after[name])]
    equal(same, [], f"{folder}: weights that training left as they were")
    return yarn_in_place(folder)


def overridden(config, changes):
    """A file with the config's keys and `changes` to them; None takes a key away, a mapping goes into the key's own."""
    content = yaml.safe_load(Path(config).read_text(encoding="utf-8"))

    def change(node, changed):
        for key, value in changed.items():
            if value is None:
                node.pop(key, None)
            elif isinstance(value, dict) and isinstance(node.get(key), dict):
                change(node[key], value)
            else:
                node[key] = value

    change(content, changes)
    file = Path("on-cpu.yaml")
    file.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return file
