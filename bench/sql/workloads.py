#!/usr/bin/python3
"""The programs of examples/sql that learn, beside the same in numpy: quality and seconds.

  workloads.py [--tessera PROGRAM] [--repeat N] [--steps N] [--work NAME...] [--texts FILE...]

Prints a table in Markdown. Tessera's time is that of a process that opens the database, computes the versions from the first one on and
says how good the last is; numpy's that of the steps, with all in memory. Both begin with the same samples and weights, drawn by Tessera;
topics are drawn by each with random numbers of its own. The two take turns, and the fastest of each is printed. Exits with 1 if a
quality is not the peer's.
"""
import argparse
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import time

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "sql"
# What every Debian has; some of them are there twice, under another name.
TEXTS = [pathlib.Path("/usr/share/common-licenses", name) for name in
         ("Apache-2.0", "Artistic", "BSD", "CC0-1.0", "GFDL-1.3", "GPL-1", "GPL-2", "GPL-3", "LGPL-2.1", "LGPL-3", "MPL-1.1", "MPL-2.0")]


def timed(call):
    start = time.perf_counter()
    result = call()
    return time.perf_counter() - start, result


class Bench:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.is_wrong = False

    def sql(self, *arguments):
        done = subprocess.run([self.options.tessera, "sql", self.folder / "db", "--quiet", "--json", *arguments], cwd=self.folder,
                              check=True, capture_output=True, text=True)
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]

    def define(self, script):
        """Runs a script up to where it asks for versions."""
        text = (EXAMPLES / script).read_text()
        (self.folder / script).write_text(text[:text.index("\nEXECUTE")])
        self.sql("-f", script)

    def array(self, query):
        self.sql("-c", f"COPY ({query}) TO 'out.npy'")
        return np.load(self.folder / "out.npy")

    def words(self):
        return subprocess.run([EXAMPLES / "words.py", "--folder", self.folder, *self.options.texts], check=True,
                              capture_output=True, text=True).stdout.strip()

    def row(self, name, ours, peer, same):
        turns = [(timed(ours), timed(peer)) for _ in range(self.options.repeat)]
        seconds = [min(turn[side][0] for turn in turns) for side in (0, 1)]
        quality = [turns[0][side][1] for side in (0, 1)]
        if not same(*quality):
            self.is_wrong = True
            name += ": WRONG"
        print(f"| {name} | {seconds[0]:.2f} s | {seconds[1]:.2f} s | {seconds[0] / seconds[1]:.2f} | {quality[0]:.4f} | {quality[1]:.4f} |",
              flush=True)


class Groups:
    """The rows of each group, for sums over them."""

    def __init__(self, numbers):
        self.order = np.argsort(numbers, kind="stable")
        self.starts = np.flatnonzero(np.diff(numbers[self.order], prepend=-1))
        self.counts = np.diff(self.starts, append=len(numbers))

    def means(self, values):
        return np.add.reduceat(values[self.order], self.starts, axis=0) / self.counts[:, None]


def word2vec(bench):
    text = bench.words()
    bench.define("word2vec.sql")
    bench.sql("-c", "COPY (SELECT center, context, label FROM samples) TO 'samples.csv'")
    samples = np.loadtxt(bench.folder / "samples.csv", delimiter=",")
    center, context, label = samples[:, 0].astype(int) - 1, samples[:, 1].astype(int) - 1, samples[:, 2]
    start = [bench.array(f"SELECT {side} FROM V[0]") for side in "wc"]
    by_center, by_context = Groups(center), Groups(context)

    def numpys():
        w, c = start
        for _ in range(bench.options.steps):
            of_center, of_context = w[center], c[context]
            error = (label - 1 / (1 + np.exp(-(of_center * of_context).sum(1))))[:, None]
            w, c = w + 2 * by_center.means(error * of_context), c + 2 * by_context.means(error * of_center)
        score = (w[center] * c[context]).sum(1)
        return np.log1p(np.exp((1 - 2 * label) * score)).mean()

    bench.row(f"word2vec, {bench.options.steps} steps over {len(label)} samples ({text}): loss",
              lambda: bench.sql("-c", f"SELECT loss FROM loss[{bench.options.steps}]")[0][0]["loss"], numpys,
              lambda one, other: np.isclose(one, other, rtol=1e-9))


class Topics:
    """The counts that a sampler goes by."""
    NUMBER, ALPHA, BETA = 10, 0.1, 0.01

    def __init__(self, folder, seed):
        with open(folder / "tokens.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        self.doc = np.array([int(row["doc"]) - 1 for row in rows])
        self.word = np.array([int(row["word"]) - 1 for row in rows])
        self.draw = np.random.default_rng(seed)
        self.topic = self.draw.integers(0, self.NUMBER, len(rows))
        self.num_words = self.word.max() + 1
        self.count()

    def count(self):
        self.by_doc = np.zeros((self.doc.max() + 1, self.NUMBER))
        self.by_word = np.zeros((self.num_words, self.NUMBER))
        np.add.at(self.by_doc, (self.doc, self.topic), 1)
        np.add.at(self.by_word, (self.word, self.topic), 1)
        self.all = np.bincount(self.topic, minlength=self.NUMBER).astype(float)

    def fit(self):
        of_doc = (self.by_doc + self.ALPHA) / (self.by_doc.sum(1, keepdims=True) + self.NUMBER * self.ALPHA)
        of_word = (self.by_word + self.BETA) / (self.all + self.num_words * self.BETA)
        return np.log((of_doc[self.doc] * of_word[self.word]).sum(1)).mean()

    def sweep_at_once(self):
        """All places against the counts of the last sweep."""
        own = np.eye(self.NUMBER)[self.topic]
        weights = ((self.by_doc[self.doc] - own + self.ALPHA) * (self.by_word[self.word] - own + self.BETA) /
                   (self.all - own + self.num_words * self.BETA)).cumsum(1)
        self.topic = (weights < self.draw.random((len(own), 1)) * weights[:, -1:]).sum(1)
        self.count()

    def sweep_in_turn(self):
        """One place after the other, as the sampler is defined."""
        shares = self.draw.random(len(self.doc))
        for place, (doc, word, topic, share) in enumerate(zip(self.doc, self.word, self.topic, shares)):
            for counts in (self.by_doc[doc], self.by_word[word], self.all):
                counts[topic] -= 1
            weights = ((self.by_doc[doc] + self.ALPHA) * (self.by_word[word] + self.BETA) / (self.all + self.num_words * self.BETA)).cumsum()
            topic = weights.searchsorted(share * weights[-1])
            for counts in (self.by_doc[doc], self.by_word[word], self.all):
                counts[topic] += 1
            self.topic[place] = topic


def topics(bench):
    text = bench.words()
    bench.define("topics.sql")
    fit = lambda step: bench.sql("-c", f"SELECT fit FROM fit[{step}]")[0][0]["fit"]
    steps = bench.options.steps

    def at_once(num_sweeps):
        sampler = Topics(bench.folder, 1)
        for _ in range(num_sweeps):
            sampler.sweep_at_once()
        return sampler.fit()

    # Chance alone moves the fit by some hundredths, more so at first.
    bench.row(f"topics, {steps} sweeps ({text}): mean log-likelihood", lambda: fit(steps), lambda: at_once(steps),
              lambda one, other: abs(one - other) < 0.1)
    print("\n| sweeps | Tessera | numpy, at once | numpy, in turn |\n|---|---|---|---|")
    sampler = Topics(bench.folder, 2)
    for sweep in range(101):
        if sweep % 25 == 0:
            turns = sampler.fit()
            print(f"| {sweep} | {fit(sweep):.4f} | {at_once(sweep):.4f} | {turns:.4f} |", flush=True)
        if sweep < 100:
            sampler.sweep_in_turn()
    bench.is_wrong = bench.is_wrong or abs(fit(100) - turns) > 0.1
    print()


def wide(bench):
    draw = np.random.default_rng(0)
    x = draw.random((1000, 6000), dtype=np.float32) * (draw.random((1000, 6000)) < 0.05)
    y = np.eye(17, dtype=np.float32)[(x @ draw.standard_normal((6000, 17)).astype(np.float32)).argmax(1)]
    np.save(bench.folder / "x.npy", x)
    np.save(bench.folder / "y.npy", y)
    bench.define("wide.sql")
    bench.sql("-c", "MATERIALIZE W[0][1]", "-c", "MATERIALIZE W[0][2]")
    start = [bench.array(f"SELECT mat FROM W[0][{layer}]")[0] for layer in (1, 2)]

    def forward(weights):
        hidden = np.maximum(x @ weights[0], 0)
        scores = np.exp(hidden @ weights[1])
        return hidden, scores / scores.sum(1, keepdims=True)

    def numpys():
        weights = list(start)
        for _ in range(3):
            hidden, answer = forward(weights)
            above = answer - y
            below = (above @ weights[1].T) * (hidden > 0)
            weights = [weights[0] - np.float32(1e-4) * (x.T @ below), weights[1] - np.float32(1e-4) * (hidden.T @ above)]
        return -np.log((forward(weights)[1] * y).sum(1)).mean()

    bench.row("wide network, 3 steps, 1000 x 6000, 4000 hidden, f32: loss", lambda: bench.sql("-c", "SELECT loss FROM loss[3]")[0][0]["loss"],
              numpys, lambda one, other: np.isclose(one, other, rtol=1e-3))  # sums of f32 in another order


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tessera", type=pathlib.Path, default=ROOT / "build" / "release" / "src" / "cli" / "tessera")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--steps", type=int, default=20, help="of word2vec and topics")
    parser.add_argument("--work", choices=("word2vec", "wide", "topics"), nargs="+", default=("word2vec", "wide", "topics"))
    parser.add_argument("--texts", type=pathlib.Path, nargs="+", default=TEXTS)
    options = parser.parse_args()
    is_wrong = False
    for name in options.work:
        print("| workload | Tessera | numpy | ratio | quality | numpy's |\n|---|---|---|---|---|---|")
        with tempfile.TemporaryDirectory() as folder:
            bench = Bench(options, pathlib.Path(folder))
            {"word2vec": word2vec, "wide": wide, "topics": topics}[name](bench)
            is_wrong = is_wrong or bench.is_wrong
        print()
    return 1 if is_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
