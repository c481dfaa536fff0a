"""What one would write: every window of 13 words hashed and looked up in a dict. Prints the median seconds of CPU for the texts and how many hold a task."""

import gzip
import hashlib
import json
import re
import sys
import time

path, index, telltale, rounds = sys.argv[1], sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
tasks = {}
for line in gzip.open(index, "rt"):
    instance, prints = line.rstrip("\n").split("\t")
    tasks[instance] = set(prints.split(" "))
holders = {}
for instance, prints in tasks.items():
    for one in prints:
        holders.setdefault(one, []).append(instance)
own = {one: instances[0] for one, instances in holders.items() if len(instances) == 1}  # no task has less than a quarter of its own
sizes = {instance: sum(1 for one in prints if one in own) for instance, prints in tasks.items()}
texts = [json.loads(line) for line in open(path)]
spent = []
for _ in range(rounds):
    hits = 0
    started = time.process_time()
    for text in texts:
        words = re.findall(r"[a-z0-9]+", text.lower())
        found = {hashlib.sha256(" ".join(words[at : at + 13]).encode()).hexdigest()[:16] for at in range(len(words) - 12)}
        counts = {}
        for one in found:
            instance = own.get(one)
            if instance is not None:
                counts[instance] = counts.get(instance, 0) + 1
        if any(count / sizes[instance] >= telltale for instance, count in counts.items()):
            hits += 1
    spent.append(time.process_time() - started)
print(json.dumps({"seconds": sorted(spent)[len(spent) // 2], "hits": hits}))
