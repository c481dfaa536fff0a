"""What one would write: the same shapes as one list of patterns, each applied to every text. Prints seconds of CPU for the texts and how many places it found."""

import json
import re
import sys
import time

path = sys.argv[1]
shapes = json.load(open(sys.argv[2]))
patterns = [re.compile(rf"(?<![A-Za-z0-9_]){re.escape(shape['start'])}{shape['body']}(?![A-Za-z0-9_])") for shape in shapes]
patterns += [
    re.compile(r"eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{8,})?"),
    re.compile(r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----[^-]*"),
    re.compile(r"://[^\s/:@]{0,64}:[^\s/@]{4,256}@"),
    re.compile(r"(?i:bearer|basic)[ \t]+[A-Za-z0-9._~+/-]{16,}=*"),
    re.compile(r"(?i:password|passwd|secret|token|api_?key|access_?key)[\w-]{0,40}[\"']?\s{0,4}[:=]\s{0,4}[\"']?[A-Za-z0-9+/=_.~!@#$%^*?-]{8,512}"),
]
texts = [json.loads(line) for line in open(path)]
started = time.process_time()
found = 0
for text in texts:
    for pattern in patterns:
        text, count = pattern.subn("[SECRET]", text)
        found += count
print(json.dumps({"seconds": time.process_time() - started, "found": found}))
