#!/usr/bin/python3
"""doc/json.md names every member of the objects that --json prints, and no other.

  check_json.py TESSERA
"""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Their members are labels of the program.
OPEN_OBJECTS = {"vertices[].partition_vector"}
EXAMPLES = [  # Together they have all members there are.
    ["explain", "examples/softmax.ein", "X=f32[4000,400]", "--workers", "2", "--json"],
    ["einsum", "ia->", "examples/digits/pixels.npy", "--sites", "2", "--tile", "i=900", "--analyze", "--json"],
    ["explain", "ia->", "examples/digits/pixels.npy", "--sites", "2000", "--tile", "i=900", "--json"],
    ["explain", "examples/matmul.ein", "A=f32[4096,4096]", "B=f32[4096,4096]", "--pieces", "64", "--json"],
    ["explain", "na,nb->ab", "f64[20000,200]", "f64[20000,200]", "--sites", "2", "--workers", "8", "--memory", "8GiB", "--json"],
    ["explain", "examples/linear_regression.ein", "X=f32[40000,64]", "y=f32[40000]", "w=f32[64]", "--checkpoint", "kept", "--checkpoint-every",
     "1e-6", "--json"],
    ["einsum", "ia->", "examples/digits/pixels.npy", "--repeat", "2", "--analyze", "--json"],
    ["explain", "test/docs/wraps.ein", "x=i8[300]", "--json"],
    ["functions", "--json"],
]


def documented():
    text = (ROOT / "doc" / "json.md").read_text()
    return set(re.findall(r"(?m)^\| `([^`]+)` \|", text))


def members_of(value, path=""):
    """Every member below a value, as the document writes it: vertices[].name."""
    found = set()
    if isinstance(value, dict) and path not in OPEN_OBJECTS:
        for name, member in value.items():
            inner = f"{path}.{name}" if path else name
            found |= {inner} | members_of(member, inner)
    elif isinstance(value, list) and any(isinstance(item, dict) for item in value):
        found = {f"{path}[]"}.union(*(members_of(item, f"{path}[]") for item in value))
    return found


def printed(tessera):
    found = set()
    for arguments in EXAMPLES:
        done = subprocess.run([tessera, *arguments], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60)
        found |= members_of(json.loads(done.stdout))
    # An array of objects is described as such.
    return {name for name in found if f"{name}[]" not in found}


def main(arguments):
    tessera = pathlib.Path(arguments[0]).resolve()
    described, there = documented(), printed(tessera)
    for name in sorted(there - described):
        print(f"doc/json.md does not describe {name}")
    for name in sorted(described - there):
        print(f"doc/json.md describes {name}, which is not printed")
    print(f"{len(described & there)} members are described")
    return 1 if described != there or not there else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
