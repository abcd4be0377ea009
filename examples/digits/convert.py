#!/usr/bin/python3
"""Writes the .npy files of this folder from scikit-learn's copy of the digits.

  convert.py DIGITS_CSV_GZ      for example /usr/lib/python3/dist-packages/sklearn/datasets/data/digits.csv.gz

A line of the source is 64 grey values of an 8 x 8 image, 0 to 16, row by row, and then the digit. The order is kept.
The last NUM_QUERIES images are the queries of nearest_neighbour.ein, all before them its candidates.
"""
import gzip
import pathlib
import sys

import numpy as np

NUM_QUERIES = 500


def main(source):
    folder = pathlib.Path(__file__).parent
    with gzip.open(source, "rt") as lines:
        rows = np.loadtxt(lines, delimiter=",").astype(np.uint8)
    pixels, labels = rows[:, :64], rows[:, 64]
    files = {
        "pixels": pixels,
        "labels": labels,
        "candidates": pixels[:-NUM_QUERIES],
        "candidate_labels": labels[:-NUM_QUERIES],
        "queries": pixels[-NUM_QUERIES:],
        "query_labels": labels[-NUM_QUERIES:],
    }
    for name, array in files.items():
        np.save(folder / f"{name}.npy", np.ascontiguousarray(array))


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
