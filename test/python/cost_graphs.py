"""The task graphs of test/cases/doppler as the JSON that `tessera simulate` reads (doc/simulate.md)."""
import json
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "cases" / "doppler"


def numbers(line):
    return [int(word) for word in line.replace(",", " ").split()]


def sites_of(path):
    return 8 if path.name.startswith("8gpu_") else 4


def cost_graph(path):
    """Their costs have no unit: here they are seconds."""
    lines = path.read_text().splitlines()
    num_tasks = int(lines[0])
    inputs = [[] for _ in range(num_tasks)]
    for source, destination in zip(numbers(lines[2]), numbers(lines[3]), strict=True):
        if source not in inputs[destination]:
            inputs[destination].append(source)
    costs = [numbers(line) for line in lines[4:4 + num_tasks]]
    tasks = [{"name": f"n{number}", "seconds": compute, "move_seconds": move, "inputs": inputs[number]}
             for number, (compute, move) in enumerate(costs)]
    return {"sites": sites_of(path), "tasks": tasks}


def write_all(folder):
    """Writes every graph into a folder; returns the files."""
    files = []
    for path in sorted(FOLDER.glob("*.txt")):
        files.append(folder / f"{path.stem}.json")
        files[-1].write_text(json.dumps(cost_graph(path)))
    return files
