"""Times whole runs of GROW and PRUNE against DENSE, and runs with diagnostics against runs without.

    python3 bench/methods.py [--cambium build/release/cambium] [--data fashion-mnist] [--compactness 0.2] [--rounds 3]

Every round runs all variants in turn, without tickets. The script prints medians and ratios of the training time, with
edits and records but without start-up. It needs only Python.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

DENSE = ["--method", "dense"]
KINDS = {
    "dense": DENSE,
    "grow": ["--method", "grow", "--no-ticket", "--diagnostics", "no"],
    "grow, diagnosed": ["--method", "grow", "--no-ticket", "--diagnostics", "yes"],
    "prune": ["--method", "prune", "--no-ticket", "--diagnostics", "no"],
    "prune, diagnosed": ["--method", "prune", "--no-ticket", "--diagnostics", "yes"],
}


def seconds_of(folder: Path) -> float:
    lines = [json.loads(line) for line in (folder / "sessions.jsonl").read_text().splitlines()]
    return sum(line["seconds"] for line in lines if "ended" in line)


def train(arguments: argparse.Namespace, kind: str, folder: Path) -> float:
    command = [arguments.cambium, "train", "--quiet", "--data", arguments.data, "--epochs", str(arguments.epochs),
               "--seeds", arguments.seeds, "--out", str(folder), *KINDS[kind]]
    if kind != "dense":
        command += ["--compactness", str(arguments.compactness)]
    for directory in arguments.data_dir:
        command += ["--data-dir", directory]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return seconds_of(folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cambium", default="build/release/cambium")
    parser.add_argument("--data", default="fashion-mnist")
    parser.add_argument("--data-dir", action="append", default=[])
    parser.add_argument("--compactness", type=float, default=0.2)
    parser.add_argument("--epochs", type=int, default=100)
    parser.add_argument("--seeds", default="1..10")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    times = {kind: [] for kind in KINDS}
    with tempfile.TemporaryDirectory() as place:
        for round_number in range(arguments.rounds):
            for kind in KINDS:
                folder = Path(place) / "run"
                times[kind].append(train(arguments, kind, folder))
                shutil.rmtree(folder)
            print(f"round {round_number + 1} of {arguments.rounds} done", file=sys.stderr)
    median = {kind: statistics.median(values) for kind, values in times.items()}
    print(f"{'':<18}{'seconds':>9}{'of dense':>10}{'diagnostics':>13}")
    for kind, values in times.items():
        ratio = statistics.median(a / b for a, b in zip(values, times["dense"]))
        line = f"{kind:<18}{median[kind]:>9.2f}{ratio:>10.3f}"
        if kind.endswith("diagnosed"):
            plain = times[kind.split(",")[0]]
            line += f"{100 * statistics.median(a / b - 1 for a, b in zip(values, plain)):>+12.1f}%"
        print(line)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
