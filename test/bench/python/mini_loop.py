"""mini-swe-agent's own loop and environments on a scripted run: N times `true`, then its hand-in. Prints ms per step of each environment.

usage: mini_loop.py STEPS ROUNDS
"""

import json
import os
import statistics
import sys
import time

os.environ["MSWEA_SILENT_STARTUP"] = "1"
from minisweagent.agents.default import DefaultAgent  # noqa: E402
from minisweagent.environments.extra.bubblewrap import BubblewrapEnvironment  # noqa: E402
from minisweagent.environments.local import LocalEnvironment  # noqa: E402
from minisweagent.models.test_models import DeterministicModel, make_output  # noqa: E402

steps, rounds = int(sys.argv[1]), int(sys.argv[2])


def once(environment):
    commands = ["true"] * (steps - 1) + ["echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"]
    outputs = [make_output("look", [{"command": command}], 0.0) for command in commands]
    agent = DefaultAgent(DeterministicModel(outputs=outputs, cost_per_call=0.0), environment, system_template="s", instance_template="t")
    started = time.perf_counter()
    agent.run("task")
    return 1000 * (time.perf_counter() - started) / steps


kinds = {"local": LocalEnvironment, "bubblewrap": BubblewrapEnvironment}
found = {}
for name, kind in kinds.items():
    try:
        found[name] = statistics.median(once(kind()) for _ in range(rounds))
    except Exception as error:  # the environment is experimental
        print(f"{name}: {error}", file=sys.stderr)
print(json.dumps(found))
