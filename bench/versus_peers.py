"""Measures training steps of Cambium, PyTorch and JAX alternately on this machine's CPU, and prints times and ratios.

    build/peers/bin/python bench/versus_peers.py [--only 'mlp/16/*'] [--rounds 5] [--quick] [--json FILE]
    build/peers/bin/python bench/versus_peers.py --check      compare the losses of PyTorch and JAX

Times are per replica and step; a ratio above 1 means that Cambium is faster. docs/peers.md describes the measurement.
Exit codes: 0 done, 1 the check failed, 2 wrong input, 3 Cambium failed. Needs: make peers, make build.
"""

import argparse
import importlib.metadata
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from fnmatch import fnmatch
from pathlib import Path

import jax
import numpy as np
import torch

from jax_step import JaxTraining
from peer_work import ALL_CASES, Case
from pytorch_step import PyTorchTraining

SAMPLES = 5  # per round; the median counts
CHECKED_STEPS = 5
QUIET = 0.05  # allowed load by others; with more, PyTorch's threads wait for each other up to 100 times longer

# Required ratios of Cambium's speed to that of a peer.
BARS = {
    "pytorch": {"mlp/16/dense/1/sgd": 3, "mlp/16/compact/1/*": 8, "mlp/16/compact/10/*": 16, "mlp/256/dense/*": 1.5,
                "convnet/128/dense/*": 1.7, "convnet/128/compact/*": 2.3},
    "jax": {"mlp/16/dense/1/sgd": 2},
}


def bar(peer: str, case: Case) -> float | None:
    return next((value for pattern, value in BARS[peer].items() if fnmatch(case.name, pattern)), None)


def peer_seconds(training: PyTorchTraining | JaxTraining, seconds: float) -> float:
    """Seconds per replica and step. The calibration of the steps per sample is also the warm-up."""

    def time_of(steps: int) -> float:
        start = time.perf_counter()
        training.run(steps)
        return time.perf_counter() - start

    steps = 1
    while time_of(steps) < seconds / SAMPLES:
        steps *= 2
    return statistics.median(time_of(steps) for _ in range(SAMPLES)) / steps / training.replicas


def cambium_report(program: Path, case: Case) -> dict:
    """Runs `cambium bench step` on this case."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "step.json"
        command = [program, "--quiet", "bench", "step", "--network", case.network, "--batch", case.batch, "--compactness",
                   case.compactness, "--replicas", case.replicas, "--optimizer", case.optimizer, "--samples", SAMPLES,
                   "--json", file]
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
        return json.loads(file.read_text())


def cambium_seconds(report: dict, case: Case) -> float:
    """Seconds per replica and step."""
    [measured] = report["figures"]["steps"]
    for key, asked in asdict(case).items():
        if measured[key] != asked:
            raise ValueError(f"cambium was asked for {key} {asked} and measured {measured[key]}")
    return measured["step"]["median_us"] * 1e-6 / case.replicas


def start_jax(case: Case, seconds: float) -> JaxTraining:
    """Trains the replicas by vmap, or a single one if one after another is faster, as with convolutions."""
    alone = JaxTraining(case, 1)
    if case.replicas == 1:
        return alone
    return min(alone, JaxTraining(case, case.replicas), key=lambda training: peer_seconds(training, seconds))


def measure(case: Case, program: Path, rounds: int, seconds: float) -> dict:
    by_pytorch, by_jax = PyTorchTraining(case), start_jax(case, seconds)
    use_before = processor_use()
    times = {"cambium": [], "pytorch": [], "jax": []}
    for _ in range(rounds):
        report = cambium_report(program, case)
        times["cambium"].append(cambium_seconds(report, case))
        times["pytorch"].append(peer_seconds(by_pytorch, seconds))
        times["jax"].append(peer_seconds(by_jax, seconds))
    result = asdict(case) | {"name": case.name, "device": report["device"], "jax_replicas_at_once": by_jax.replicas,
                             "used_by_others": use_by_others(use_before, processor_use())}
    for side, values in times.items():
        result[side] = {"median": statistics.median(values), "best": min(values), "rounds": values}
    for peer in BARS:
        ratios = {key: result[peer][key] / result["cambium"][key] for key in ("median", "best")}
        result[f"over_{peer}"] = ratios | {"bar": bar(peer, case)}
    return result


@dataclass(frozen=True)
class ProcessorUse:
    """CPU seconds since an arbitrary start: of the whole machine, and of this process and its children."""

    total: float
    busy: float
    own: float


def processor_use() -> ProcessorUse:
    ticks = [int(word) for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    idle = ticks[3] + ticks[4]  # idle, or waiting for a disk; the rest is busy, including steal time
    second = os.sysconf("SC_CLK_TCK")
    return ProcessorUse(sum(ticks) / second, (sum(ticks) - idle) / second, sum(os.times()[:4]))


def use_by_others(before: ProcessorUse, after: ProcessorUse) -> float:
    """The fraction of the CPU time that other processes used."""
    others = (after.busy - before.busy) - (after.own - before.own)
    return max(0.0, others / (after.total - before.total))


def print_header():
    print("Time per replica and step in µs, and how many times faster Cambium is: median of the rounds (best).")
    print("PyTorch trains replicas one after another, so one is measured; so does JAX where marked *.")
    print("A bar is the required ratio; ! marks a ratio below it.\n")
    print(f"{'case':<28}{'Cambium':>20}{'PyTorch':>20}{'JAX':>20}    {'over PyTorch':<30}over JAX")


def print_row(result: dict):
    row = f"{result['name']:<28}"
    for side in ("cambium", "pytorch", "jax"):
        row += f"{result[side]['median'] * 1e6:.1f} ({result[side]['best'] * 1e6:.1f})".rjust(20)
    row += "  * " if result["jax_replicas_at_once"] < result["replicas"] else "    "
    for peer in BARS:
        ratio = result[f"over_{peer}"]
        text = f"{ratio['median']:.2f} ({ratio['best']:.2f})"
        if ratio["bar"]:
            text += f", bar {ratio['bar']:g}" + (" !" if ratio["median"] < ratio["bar"] else "")
        row += f"{text:<30}"
    if result["used_by_others"] > QUIET:
        row += f"NOT VALID: others used {result['used_by_others']:.0%} of the processors"
    print(row.rstrip(), flush=True)


def check(cases: list[Case]) -> bool:
    """Prints the differences between the losses of the first steps; true if all agree.

    In double precision: in single, Adam makes a whole step of a gradient of which only the sign is rounding error.
    """
    jax.config.update("jax_enable_x64", True)
    agree = True
    for case in cases:
        replicas = min(case.replicas, 2)  # enough to use vmap
        by_jax = JaxTraining(case, replicas, np.float64).losses(CHECKED_STEPS)
        by_pytorch = np.transpose([PyTorchTraining(case, replica, np.float64).losses(CHECKED_STEPS)
                                   for replica in range(replicas)])
        deviation = np.abs(by_jax / by_pytorch - 1).max()
        agree &= bool(deviation < 1e-9)
        print(f"{case.name:<28}loss {by_pytorch[0, 0]:.6f} to {by_pytorch[-1, 0]:.6f} in {CHECKED_STEPS} steps, "
              f"replicas: {replicas}, largest relative deviation: {deviation:.1e}", flush=True)
    return agree


def machine() -> dict:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    processor = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), "unknown")
    return {"processor": processor, "threads": len(os.sched_getaffinity(0)),
            "versions": {name: importlib.metadata.version(name) for name in ("torch", "jax", "numpy")}}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=["*"], metavar="PATTERN",
                        help="network/batch/dense|compact/replicas/optimizer: mlp/16/dense/1/sgd, 'mlp/*/sgd', ...")
    parser.add_argument("--rounds", type=int, default=5, help="each measures Cambium, PyTorch, JAX in turn (5)")
    parser.add_argument("--quick", action="store_true", help="two short rounds, as a smoke test")
    parser.add_argument("--check", action="store_true", help="compare losses of PyTorch and JAX instead of measuring")
    parser.add_argument("--cambium", type=Path, default=Path("build/release/cambium"), help="the program")
    parser.add_argument("--pytorch-threads", type=int, default=len(os.sched_getaffinity(0)),
                        help="as many as there are processors unless given")
    parser.add_argument("--json", type=Path, help="also write the figures here")
    arguments = parser.parse_args()
    cases = [case for case in ALL_CASES if any(fnmatch(case.name, pattern) for pattern in arguments.only)]
    if not cases:
        parser.error("--only: there is no such case; there are " + ", ".join(case.name for case in ALL_CASES))
    if arguments.check:
        return 0 if check(cases) else 1
    if not arguments.cambium.is_file():
        parser.error(f"{arguments.cambium} is missing. Build it with: make build")

    torch.set_num_threads(arguments.pytorch_threads)
    rounds, seconds = (2, 0.1) if arguments.quick else (arguments.rounds, 0.5)
    print_header()
    results = []
    for case in cases:
        try:
            results.append(measure(case, arguments.cambium, rounds, seconds))
        except subprocess.CalledProcessError as error:
            print(f"command failed with exit code {error.returncode}: {' '.join(error.cmd)}", file=sys.stderr)
            return 3
        except ValueError as error:
            print(error, file=sys.stderr)
            return 3
        print_row(results[-1])
    disturbed = sum(result["used_by_others"] > QUIET for result in results)
    if disturbed:
        print(f"\n{disturbed} of {len(results)} cases are not valid. Repeat them on an idle machine.",
              file=sys.stderr)
    if arguments.json:
        report = {"benchmark": "versus_peers", "machine": machine(), "pytorch_threads": arguments.pytorch_threads,
                  "cases": results}
        arguments.json.write_text(json.dumps(report, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
