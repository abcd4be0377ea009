"""The scripts of examples/sql that learn, small: what they learn is what numpy learns, or the truth that was put in; the same
whatever runs them."""
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

from command_line import Tessera

TESSERA = Tessera(os.environ["TESSERA"])
EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "sql"
WAYS = [["--workers", "1"], ["--workers", "2", "--pieces", "3"], ["--sites", "2"], ["--memory", "20MiB"]]


class Script:
    """A script with some of its words replaced, and a folder for what it reads."""

    def __init__(self, folder, name, replaced):
        self.folder = folder
        text = (EXAMPLES / name).read_text()
        for old, new in replaced.items():
            assert old in text, old
            text = text.replace(old, new)
        self.definitions, self.end = text[:text.index("\nEXECUTE")], text[text.index("\nEXECUTE"):]

    def define(self):
        self.run(self.definitions)
        return self

    def run(self, text, *options):
        done = TESSERA.call("sql", self.folder / "db", "--json", "-c", text, *options, folder=self.folder)
        assert done.exit_code == 0, done.describe()
        return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]

    def value(self, text, *options):
        ((row,),) = self.run(text, *options)
        (value,) = row.values()
        return value


def write_words(folder, texts, *options):
    """Runs words.py over texts of words."""
    for number, text in enumerate(texts):
        (folder / f"{number}.txt").write_text(text)
    subprocess.run([sys.executable, EXAMPLES / "words.py", "--folder", folder, "--least", "1", *options,
                    *(folder / f"{number}.txt" for number in range(len(texts)))], check=True, capture_output=True)


# ---- Word2Vec.

@pytest.fixture
def vectors(tmp_path):
    """Two kinds of sentences that share no word."""
    draw = np.random.default_rng(1)
    kinds = [["red", "green", "blue", "pink", "grey"], ["dog", "cat", "cow", "pig", "hen"]]
    write_words(tmp_path, [" ".join(draw.choice(kinds[sentence % 2], 12)) for sentence in range(40)])
    return Script(tmp_path, "word2vec.sql", {"ones(32)": "ones(8)", "'license', 'software', 'copies'": "'red', 'dog'",
                                             "20 * j": "6 * j", "V[100]": "V[30]"}).define()


def test_words_of_a_kind_get_near(vectors):
    kinds = {"red": {"green", "blue", "pink", "grey"}, "dog": {"cat", "cow", "pig", "hen"}}
    *losses, near = vectors.run(vectors.end)
    found = [loss[0]["loss"] for loss in losses]
    assert [loss[0]["step"] for loss in losses] == [0, 6, 12, 18, 24, 30] and found == sorted(found, reverse=True)
    assert len(near) == 10
    for row in near:
        assert row["near"] in kinds[row["spelling"]] or row["likeness"] < min(
            other["likeness"] for other in near if other["spelling"] == row["spelling"] and other["near"] in kinds[row["spelling"]])


def test_word_vectors_are_numpys(vectors):
    center, context, label = np.array([list(row.values()) for row in vectors.run("SELECT center, context, label FROM samples")[0]]).T
    center, context = center.astype(int) - 1, context.astype(int) - 1
    assert (label == 0).sum() == 5 * (label == 1).sum()
    w, c = (np.array([row[side] for row in vectors.run(f"SELECT {side} FROM V[0] ORDER BY word")[0]]) for side in "wc")
    for _ in range(5):
        error = (label - 1 / (1 + np.exp(-(w[center] * c[context]).sum(1))))[:, None]
        steps = [(center, error * c[context]), (context, error * w[center])]
        w, c = (table + 2 * np.array([of[numbers == word].mean(0) for word in range(len(table))])
                for table, (numbers, of) in zip((w, c), steps))
    rows = vectors.run("SELECT w, c FROM V[5] ORDER BY word")[0]
    np.testing.assert_allclose([row["w"] for row in rows], w, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose([row["c"] for row in rows], c, rtol=1e-9, atol=1e-12)


# ---- Topics.

@pytest.fixture
def topics(tmp_path):
    """Documents of one theme each, of three, with words of their own."""
    draw = np.random.default_rng(2)
    themes = ["sun rain wind snow cloud storm".split(), "bread milk cheese butter apple honey".split(),
              "river hill valley forest meadow lake".split()]
    write_words(tmp_path, [" ".join(draw.choice(themes[doc % 3], 30)) for doc in range(30)])
    return Script(tmp_path, "topics.sql", {"vector[10]": "vector[3]", "{1,2,3,4,5,6,7,8,9,10}": "{1,2,3}", "ones(10)": "ones(3)",
                                           "10 * p.a": "3 * p.a", "20 * j": "6 * j", "T[100]": "T[30]"}).define()


def test_topics_are_the_themes(topics):
    *fits, words = topics.run(topics.end)
    found = [fit[0]["fit"] for fit in fits]
    assert found[-1] > found[0] + 0.5
    # Six equally common words are all that a document has: log(1/6), but for the priors and for chance.
    assert abs(found[-1] - np.log(1 / 6)) < 0.1
    by_topic = {topic: {row["spelling"] for row in words if row["topic"] == topic} for topic in (1, 2, 3)}
    themes = [set("sun rain wind snow cloud storm".split()), set("bread milk cheese butter apple honey".split()),
              set("river hill valley forest meadow lake".split())]
    assert all(any(found <= theme for theme in themes) for found in by_topic.values()) and all(by_topic.values())


def test_topics_are_the_same_any_way(topics):
    wanted = topics.run("SELECT id, z FROM Z[4] ORDER BY id")
    assert all(sum(row["z"]) == 1 for row in wanted[0])
    for way in WAYS:
        assert topics.run("SELECT id, z FROM Z[4] ORDER BY id", *way) == wanted, way
    assert topics.run("SELECT id, z FROM Z[4] ORDER BY id", "--seed", "2") != wanted


def test_a_sweep_draws_by_the_counts(topics):
    """What the weights of a place are, from the counts of the version before."""
    places = topics.run("SELECT doc, word, z FROM Z[3] ORDER BY id")[0]
    own = np.array([place["z"] for place in places])
    doc, word = (np.array([place[key] for place in places]) for key in ("doc", "word"))
    by_doc, by_word = (np.array([own[numbers == number].sum(0) for number in numbers]) for numbers in (doc, word))
    weights = (by_doc - own + 0.1) * (by_word - own + 0.01) / (own.sum(0) - own + 0.01 * 18)
    drawn = np.array([place["z"] for place in topics.run("SELECT z FROM Z[4] ORDER BY id")[0]])
    shares = weights / weights.sum(1, keepdims=True)
    spread = np.sqrt((shares * (1 - shares)).sum(0))
    assert (np.abs(drawn.sum(0) - shares.sum(0)) < 4 * spread + 1e-9).all()
    assert (drawn * np.log(shares)).sum() > (shares * np.log(shares)).sum() - 4 * np.sqrt((shares * np.log(shares)**2).sum())


# ---- A wide network.

def test_a_wide_network_learns_as_numpys(tmp_path):
    draw = np.random.default_rng(3)
    x = draw.random((40, 60), dtype=np.float32)
    y = np.eye(5, dtype=np.float32)[(x @ draw.standard_normal((60, 5))).argmax(1)]
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    network = Script(tmp_path, "wide.sql", {"zeros(6000, 4000)": "zeros(60, 80)", "zeros(4000, 17)": "zeros(80, 5)", "0.0001": "0.005",
                                            "0.02": "0.125"}).define()
    weights = [np.array(network.value(f"SELECT mat FROM W[0][{layer}]"), np.float32) for layer in (1, 2)]
    wanted = []
    for _ in range(4):
        hidden = np.maximum(x @ weights[0], 0)
        answer = np.exp(hidden @ weights[1])
        answer /= answer.sum(1, keepdims=True)
        wanted.append(-np.log((answer * y).sum(1)).mean())
        below = ((answer - y) @ weights[1].T) * (hidden > 0)
        weights = [weights[0] - 0.005 * x.T @ below, weights[1] - 0.005 * hidden.T @ (answer - y)]
    found = [rows[0]["loss"] for rows in network.run(network.end)]
    np.testing.assert_allclose(found, wanted, rtol=1e-4)  # of f32
    assert found[3] < found[0]
