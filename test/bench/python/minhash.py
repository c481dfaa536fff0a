"""What one would write: datasketch's MinHash over runs of 5 words, and MinHashLSH with insert and query. usage: minhash.py TEXTS VALUES THRESHOLD"""

import json
import re
import sys
import time

from datasketch import MinHash, MinHashLSH

path, values, threshold = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
texts = [json.loads(line) for line in open(path)]
digits = re.compile(r"\b\d+\b")
word = re.compile(r"\w+")

started = time.process_time()
sketches = []
for text in texts:
    words = word.findall(digits.sub("0", text.lower()))
    sketch = MinHash(num_perm=values)
    sketch.update_batch({" ".join(words[at : at + 5]).encode() for at in range(max(1, len(words) - 4))})
    sketches.append(sketch)
sketch_seconds = time.process_time() - started

started = time.process_time()
lsh = MinHashLSH(threshold=threshold, num_perm=values)
found = 0
for index, sketch in enumerate(sketches):
    near = [other for other in lsh.query(sketch) if sketch.jaccard(sketches[other]) >= threshold]
    if near:
        found += 1
    else:
        lsh.insert(index, sketch)
print(json.dumps({"sketchSeconds": sketch_seconds, "findSeconds": time.process_time() - started, "found": found}))
