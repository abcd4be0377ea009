#!/usr/bin/python3
"""Draws the patients of this folder: examples/survival/draw.py writes time.npy, event.npy and x.npy beside itself.

60 patients in the order of their times, which are tenths of a year and often equal; a time is that of a death (event 1) or the
last at which a patient was seen (event 0). x is an age, in decades from 60 years, and a treatment, 0 or 1.
"""
import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
PATIENTS = 60

rng = np.random.default_rng(1958)  # the year of Kaplan and Meier
x = np.stack([rng.normal(0, 1, PATIENTS).round(2), rng.integers(0, 2, PATIENTS)], 1)
death = rng.exponential(2 * np.exp(-0.5 * x[:, 0] + 0.8 * x[:, 1]))
last_seen = rng.uniform(0.5, 5, PATIENTS)
time = np.minimum(death, last_seen).round(1)
event = (death <= last_seen).astype("int64")
order = np.lexsort((1 - event, time))
for name, values in {"time": time, "event": event, "x": x}.items():
    np.save(FOLDER / f"{name}.npy", values[order])
