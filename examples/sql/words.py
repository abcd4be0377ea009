#!/usr/bin/python3
"""Texts as tables of numbers, for word2vec.sql and topics.sql.

  words.py [--folder FOLDER] [--least N] [--length N] TEXT...

Writes words.csv (word, spelling), every word of three letters or more that stands at least N times, from the most common one on;
tokens.csv (id, doc, word), where they stand, in documents of so many words; and counts.npy, how often each word stands.
"""
import argparse
import collections
import csv
import pathlib
import re

import numpy as np


def write(path, head, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([head, *rows])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=pathlib.Path, default=pathlib.Path())
    parser.add_argument("--least", type=int, default=5)
    parser.add_argument("--length", type=int, default=200, help="of a document, in words")
    parser.add_argument("texts", type=pathlib.Path, nargs="+")
    options = parser.parse_args()
    texts = [re.findall("[a-z]{3,}", path.read_text(errors="replace").lower()) for path in options.texts]
    counts = collections.Counter(word for text in texts for word in text)
    spellings = [word for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])) if count >= options.least]
    number = {word: place for place, word in enumerate(spellings, 1)}
    tokens, doc = [], 0
    for text in texts:
        known = [number[word] for word in text if word in number]
        for begin in range(0, len(known), options.length):
            doc += 1
            tokens += [(doc, word) for word in known[begin:begin + options.length]]
    write(options.folder / "words.csv", ["word", "spelling"], enumerate(spellings, 1))
    write(options.folder / "tokens.csv", ["id", "doc", "word"], ((place, *token) for place, token in enumerate(tokens, 1)))
    np.save(options.folder / "counts.npy", np.array([counts[word] for word in spellings], dtype=float))
    print(f"{len(tokens)} places of {len(spellings)} words in {doc} documents")


if __name__ == "__main__":
    main()
