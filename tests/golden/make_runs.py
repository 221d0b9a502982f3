"""Computes tests/golden/runs.json: results of small runs of GROW, PRUNE and DENSE in PyTorch, in double precision.

    make peers && build/peers/bin/python tests/golden/make_runs.py [--only NAME ...]

Every case holds the configuration for `cambium train`, and for each seed:

    first_active      active units of every hidden layer at the start
    events            by event: its number, the first step after it, the active units after it; with Net2Wider and
                      Moment Transplant also the donors of its newborns (in ascending order)
    cycles, ticket    by epoch: mean training loss and correct predictions (each batch before its update), test loss and
                      correct predictions; in the cycles and in the ticket
    diagnostics       (two cases) by event, layer, time-point and cohort: means of activation rate and of gradient
                      magnitude on the event's first batch, and on all eight of them

    rounding          largest deviation of runs in single precision; another program may deviate a little more, in
                      particular with ReLU, whose kink magnifies rounding

A program in single precision must find the same masks. The script therefore prints the margin of each choice, and
stores nothing if a margin is too small or if rounding errors change the accuracies.
"""

import argparse
import json
import math
import sys
from dataclasses import asdict
from pathlib import Path

import torch

from network import Images, Settings, read_images
from study import Run, run_iid

PATH = Path(__file__).parent / "runs.json"
CLEAR = 1e-4  # smallest relative margin of a choice
FEW = 5  # test images that single precision may predict differently
COMMON = {"data": "fashion-mnist", "hidden": "32,24", "batch": "1700", "cycles": "4", "epochs_per_cycle": "1",
          "seeds": "1..2", "compactness": "0.5", "lr": "0.1", "t_max": "6"}
GROW = COMMON | {"method": "grow", "seed_fraction": "0.25"}
PRUNE = COMMON | {"method": "prune"}
TWO_EPOCHS = {"cycles": "3", "epochs_per_cycle": "2"}
ADAM = {"optimizer": "adam", "lr": "0.003"}
MOMENTUM = {"momentum": "0.9", "lr": "0.05"}
# ReLU magnifies rounding errors: a pre-activation near 0 that changes its sign changes a gradient abruptly.
SMOOTH = {"activation": "smooth_leaky"}

CASES = {
    "grow_activation": GROW | {"lr": "0.05"},
    "grow_diagnosed": GROW | SMOOTH | TWO_EPOCHS,
    "grow_gradient": GROW | {"grow_score": "gradient", "lr": "0.05"},
    "grow_gradmax": GROW | {"grow_score": "gradmax", "lr": "0.05"},
    "grow_gradmax_smooth": GROW | SMOOTH | {"grow_score": "gradmax"},
    "grow_random": GROW | SMOOTH | {"grow_score": "random"},
    "grow_magnitude": GROW | SMOOTH | {"grow_score": "magnitude"},
    "grow_two_speed": GROW | SMOOTH | {"intervention": "two_speed", "two_speed_r": "3", "two_speed_steps": "50",
                                         "lr": "0.05"},
    "grow_moment_transplant": GROW | SMOOTH | ADAM | {"intervention": "moment_transplant"},
    "grow_net2wider": GROW | {"intervention": "net2wider", "net2wider_eps": "0.001", "lr": "0.05"},
    "grow_net2wider_two_speed": GROW | SMOOTH | MOMENTUM | {
        "intervention": "net2wider,two_speed", "net2wider_eps": "0.1", "two_speed_r": "2", "two_speed_steps": "50"},
    "grow_net2wider_moment_transplant": GROW | SMOOTH | ADAM | {
        "intervention": "net2wider,moment_transplant", "net2wider_eps": "0.1"},
    "grow_rsl": GROW | {"activation": "rsl", "tau": "0.2"},
    "grow_small_batch": GROW | {"hidden": "48,40", "batch": "250", "activation": "rsl", "lr": "0.05"},
    "grow_before_first_cycle": GROW | SMOOTH | {"first_edit": "before_first_cycle", "init": "kaiming_stock",
                                                "lr_mode": "global", "lr": "0.2", "seed_fraction": "0.1"},
    "prune": PRUNE | {"lr": "0.03"},
    "prune_diagnosed": PRUNE | SMOOTH | TWO_EPOCHS,
    "prune_masked_scope": PRUNE | SMOOTH | ADAM | {"rewind_scope": "masked"},
    "prune_snapshot": PRUNE | SMOOTH | MOMENTUM | {"rewind_to": "snapshot", "rewind_epoch": "1", "rewind_opt": "no"},
    "prune_without_rewind": PRUNE | SMOOTH | ADAM | {"rewind_to": "none", "weight_decay": "0.001"},
    "prune_fresh_ticket": PRUNE | SMOOTH | {"wt_init": "fresh", "lr_mode": "global", "lr": "0.08"},
    "prune_nothing_left": PRUNE | SMOOTH | MOMENTUM | {"hidden": "8", "compactness": "0.9"},
    "prune_nothing_left_no_rewind": PRUNE | SMOOTH | MOMENTUM | {
        "hidden": "8", "compactness": "0.9", "rewind_when_k0": "no"},
    "dense_random_masks": COMMON | {"method": "dense", "masks": "random", "lr": "0.05"},
}
DIAGNOSED = {"grow_diagnosed", "prune_diagnosed"}


def as_stored(run: Run, diagnosed: bool) -> dict:
    """A run in the form of the JSON file."""
    stored = {"seed": run.seed, "first_active": run.first_active, "events": []}
    for edit, active in zip(run.edits, run.active):
        event = {"event": edit.event, "step": edit.step, "active": active}
        event |= {"donors": edit.donors} if edit.donors else {}
        event |= {"moment_donors": edit.moment_donors} if edit.moment_donors else {}
        stored["events"].append(event)
    stored["cycles"] = asdict(run.cycles)
    if run.ticket:
        stored["ticket"] = asdict(run.ticket)
    if diagnosed:
        stored["diagnostics"] = run.diagnostics
    return rounded(stored)


def rounded(value):
    """Rounds floating-point numbers to eight digits."""
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [rounded(entry) for entry in value]
    return float(f"{value:.8g}") if isinstance(value, float) else value


def report_margins(run: Run) -> float:
    """Prints the margins of every event and returns the smallest."""
    smallest = math.inf
    for edit in run.edits:
        margins = [f"{margin:.1e}" for margin in edit.margins]
        donors = min(edit.donor_margins, default=math.inf)
        smallest = min([smallest, donors, *edit.margins])
        print(f"  seed {run.seed} event {edit.event}: chosen {[len(units) for units in edit.chosen]}, "
              f"margins {', '.join(margins)}" + (f", donors {donors:.1e}" if donors < math.inf else ""))
    return smallest


def differences(stored: dict, other: dict) -> dict[str, float]:
    """The largest differences between two computations of a run that must choose the same units."""
    chosen = [[{key: event.get(key) for key in ("active", "donors", "moment_donors")} for event in run["events"]]
              for run in (stored, other)]
    result = {"choices": float(chosen[0] != chosen[1])}
    for key in "train_loss", "train_correct", "test_loss", "test_correct":
        result[key] = max(abs(a - b) for phase in ("cycles", "ticket") if phase in stored
                          for a, b in zip(stored[phase][key], other[phase][key]))
    for key in ("activation", "gradient") if "diagnostics" in stored else ():
        result[key] = max(abs(a[name] - b[name]) for name in (key, f"{key}_of_8")
                          for a, b in zip(stored["diagnostics"], other["diagnostics"]))
    return result


def rounding(settings: Settings, stored: dict, images: Images, diagnosed: bool) -> dict[str, float]:
    """The largest deviations of single precision in a few runs."""
    largest = {}
    for jitter in range(6 if settings["activation"] == "relu" else 2):
        settings.jitter = jitter
        other = as_stored(run_iid(settings, stored["seed"], images, torch.float32, diagnosed), diagnosed)
        largest = {key: max(value, largest.get(key, 0)) for key, value in differences(stored, other).items()}
    settings.jitter = 0
    print(f"  seed {stored['seed']} in single precision differs by:",
          ", ".join(f"{key} {value:.1e}" if isinstance(value, float) else f"{key} {value}"
                    for key, value in largest.items()), flush=True)
    return rounded(largest)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", default=list(CASES), help="cases to run; stores nothing")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    images, cases, unclear = read_images(), [], []
    for name in arguments.only:
        settings, runs, diagnosed = Settings(CASES[name]), [], name in DIAGNOSED
        print(f"{name}: targets {settings.targets()}", flush=True)
        for seed in settings.seeds:
            run = run_iid(settings, seed, images, diagnose=diagnosed)
            stored = as_stored(run, diagnosed)
            print(f"  seed {seed} right: cycles {run.cycles.test_correct}, "
                  f"ticket {run.ticket.test_correct if run.ticket else None}")
            margin = report_margins(run)
            stored["rounding"] = rounding(settings, stored, images, diagnosed)
            if margin < CLEAR or stored["rounding"]["choices"] or stored["rounding"]["test_correct"] > FEW:
                unclear.append(f"{name}, seed {seed}")
            runs.append(stored)
        cases.append({"name": name, "config": CASES[name], "runs": runs})
    if unclear:
        print(f"margins too small, choose other settings: {'; '.join(unclear)}", file=sys.stderr)
        return 1
    if arguments.only == list(CASES):
        entries = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
        PATH.write_text(f'{{"format":"cambium-runs-1","cases":[\n{entries}\n]}}\n')
        print(f"{PATH}: {PATH.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
