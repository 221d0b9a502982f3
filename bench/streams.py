"""Times the steps of streams against plain training steps, and Permuted MNIST against PyTorch.

    build/peers/bin/python bench/streams.py --data-dir DIR [--seeds 1..10] [--rounds 3] [--cambium PROGRAM]

All cases use the study's MLP with batch size 16 and Adam. Cambium trains whole runs, with records and tests but without
start-up. PyTorch trains one network on the same tasks and does nothing else; its time is multiplied by the number of
seeds. Rounds alternate. The script prints medians per step of all seeds, and ratios. It needs `make peers`, `make
build` and MNIST.
"""

import argparse
import gzip
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

TASKS = 5
PASSES = 50  # over the 1,200 images of a random-label task
RUNS = {
    "plain": ["--stream", "mnist", "--batch", "16", "--optimizer", "adam", "--lr-schedule", "constant", "--epochs", "1",
              "--cycles", "1"],
    "permuted-mnist": ["--stream", "permuted-mnist", "--tasks", str(TASKS)],
    "random-label-mnist": ["--stream", "random-label-mnist", "--tasks", "1", "--epochs-per-task", str(PASSES)],
}


def seconds_per_step(arguments: argparse.Namespace, kind: str, folder: Path) -> float:
    subprocess.run([arguments.cambium, "train", "--quiet", "--seeds", arguments.seeds, "--data-dir", arguments.data_dir,
                    "--out", str(folder), *RUNS[kind]], check=True, stdout=subprocess.DEVNULL)
    lines = [json.loads(line) for line in (folder / "sessions.jsonl").read_text().splitlines()]
    ended = [line for line in lines if "ended" in line]
    return sum(line["seconds"] for line in ended) / ended[-1]["at_step"]


def read_idx(folder: Path, name: str) -> np.ndarray:
    file = next(file for file in sorted(folder.rglob(f"{name}*")) if file.is_file())
    content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    shape = [int.from_bytes(content[4 + 4 * i:8 + 4 * i], "big") for i in range(content[3])]
    return np.frombuffer(content, np.uint8, offset=4 + 4 * len(shape)).reshape(shape)


class PyTorchPermuted:
    """Permuted MNIST in ordinary PyTorch: images in memory, one order of the pixels and one pass per task."""

    def __init__(self, folder: Path):
        chosen = np.random.default_rng(0).permutation(60000)[:10000]
        images = read_idx(folder, "train-images").reshape(-1, 784)[chosen]
        self.images = torch.from_numpy(images.astype(np.float32) / 255)
        self.labels = torch.from_numpy(read_idx(folder, "train-labels")[chosen].astype(np.int64))

    def seconds_per_step(self) -> float:
        torch.manual_seed(0)
        network = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
        optimizer = torch.optim.Adam(network.parameters(), lr=0.001)
        correct = torch.zeros(())
        start = time.perf_counter()
        for _ in range(TASKS):
            pixels = torch.randperm(784)
            for batch in torch.randperm(10000).split(16):
                logits = network(self.images[batch][:, pixels])
                labels = self.labels[batch]
                correct += (logits.argmax(1) == labels).sum()
                optimizer.zero_grad()
                functional.cross_entropy(logits, labels).backward()
                optimizer.step()
        return (time.perf_counter() - start) / (TASKS * 625)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data-dir", required=True)
    parser.add_argument("--cambium", default="build/release/cambium")
    parser.add_argument("--seeds", default="1..10")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    first, _, last = arguments.seeds.partition("..")
    seeds = int(last or first) - int(first) + 1
    pytorch = PyTorchPermuted(Path(arguments.data_dir) / "mnist")
    times = {kind: [] for kind in [*RUNS, "pytorch"]}
    with tempfile.TemporaryDirectory() as place:
        for _ in range(arguments.rounds):
            for kind in RUNS:
                times[kind].append(seconds_per_step(arguments, kind, Path(place) / "run"))
                shutil.rmtree(Path(place) / "run")
            times["pytorch"].append(seeds * pytorch.seconds_per_step())
    medians = {kind: statistics.median(values) for kind, values in times.items()}
    print(f"{seeds} seeds, medians of {arguments.rounds} rounds, microseconds per step of all")
    for kind, values in times.items():
        print(f"{kind:<20}{1e6 * medians[kind]:>10.0f}   {' '.join(f'{1e6 * value:.0f}' for value in values)}")
    for kind in ("permuted-mnist", "random-label-mnist"):
        print(f"{kind} against plain: {medians[kind] / medians['plain']:.3f}")
    print(f"permuted-mnist, PyTorch against Cambium: {medians['pytorch'] / medians['permuted-mnist']:.1f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
