#!/usr/bin/env python3
"""Measures the overhead of a sweep per cell: its time minus the time of the same runs started one after another.

    bench/sweep_overhead.py [--program build/release/cambium] [--cells 20] [--rounds 3]

The rounds alternate, so that other load disturbs both equally. Prints the seconds per cell of both and the difference.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile
import time

EXPERIMENT = """
[all]
stream = "fashion-mnist"
hidden = "16"
batch = 2000
seeds = "1..2"
epochs = 2
cycles = 2
[[cells]]
method = "grow"
compactness = [{levels}]
"""


def seconds(command):
    start = time.monotonic()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.monotonic() - start


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/release/cambium")
    parser.add_argument("--cells", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        experiment = folder / "overhead.toml"
        experiment.write_text(EXPERIMENT.format(levels=", ".join(f"0.{300 + i}" for i in range(options.cells))))
        plan = json.loads(subprocess.check_output([options.program, "plan", experiment, "--no-timing", "--json"]))
        runs = []
        for cell in plan["cells"]:
            config = folder / f"{cell['name']}.toml"
            lines = [f"{key} = {json.dumps(value)}" for key, value in cell["config"].items()]
            config.write_text("\n".join(lines) + "\n")
            runs.append(config)
        by_hand, by_sweep = [], []
        for round_number in range(options.rounds):
            by_hand.append(sum(seconds([options.program, "train", "--config", run, "--out",
                                        folder / f"hand-{round_number}" / run.stem]) for run in runs))
            by_sweep.append(seconds([options.program, "sweep", experiment, "--out", folder / f"sweep-{round_number}"]))
    hand, sweep = (sorted(times)[len(times) // 2] / options.cells for times in (by_hand, by_sweep))
    print(f"{options.cells} cells, medians of {options.rounds} rounds, seconds per cell:")
    print(f"runs by hand {hand:.3f}, sweep {sweep:.3f}: {sweep - hand:+.3f} each")


if __name__ == "__main__":
    main()
