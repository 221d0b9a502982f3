"""Compares two runs of one configuration on different devices: the units that every edit chose, and the accuracies.

    python3 tests/portability/compare_runs.py RUN_A RUN_B

Two devices round differently, so scores differ in their last digits. An edit that chose other units is listed with its
margin at the cut: the distance between the scores of the last unit that was chosen and of the first that was not,
relative to the larger of them. A margin up to `score_tolerance` is a tie, which rounding decides; a larger one is a
failure. After a tie the two networks of that seed are different ones: their later edits are not compared, and their
accuracies may differ by `tie_tolerance`. Accuracies of all other seeds may differ by `accuracy_tolerance`.

Exit code 0: they agree; 1: they do not; 2: a folder does not hold a finished run.
"""

import json
import pathlib
import sys

# Rounding errors of single precision (6e-8) grow while a network is trained.
score_tolerance = 1e-4
# Of 10 000 test images 20 may change sides; a task of a stream has 2000, of which 4 may.
accuracy_tolerance = 0.002
tie_tolerance = 0.02


class RunError(Exception):
    pass


def read_run(folder):
    """The result, and the edits by (event, seed, layer) in their order."""
    folder = pathlib.Path(folder)
    try:
        result = json.loads((folder / "result.json").read_text())
        events = folder / "events.jsonl"
        lines = [json.loads(line) for line in events.read_text().splitlines()] if events.exists() else []
        return result, {(line["event"], line["seed"], line["layer"]): line for line in lines}
    except (OSError, ValueError, KeyError) as wrong:
        raise RunError(f"{folder}: no finished run: {wrong}") from wrong


def margin(line):
    """Relative distance of the scores on both sides of the cut; None if no unit was left over."""
    if line["runner_up"] is None or not line["scores"]:
        return None
    last, first_left = line["scores"][-1], line["runner_up"]
    size = max(abs(last), abs(first_left))
    return abs(last - first_left) / size if size > 0 else 0.0


def largest_score_difference(ours, theirs):
    """Over the units that both chose, relative to the score."""
    scores = dict(zip(theirs["units"], theirs["scores"]))
    differences = [
        abs(score - scores[unit]) / max(abs(score), abs(scores[unit]))
        for unit, score in zip(ours["units"], ours["scores"])
        if unit in scores and max(abs(score), abs(scores[unit])) > 0
    ]
    return max(differences, default=0.0)


def compare_edits(ours, theirs):
    """Lines for the reader, failures among them, seeds with a tie, and counts."""
    report, failures, tied = [], [], set()
    counts = {"edits": 0, "units": 0, "ties": 0, "score_difference": 0.0}
    if ours.keys() != theirs.keys():
        return report, ["the two runs have different edits"], tied, counts
    for key, line in ours.items():
        event, seed, layer = key
        if seed in tied:
            continue
        other = theirs[key]
        counts["edits"] += 1
        counts["units"] += len(line["units"])
        counts["score_difference"] = max(counts["score_difference"], largest_score_difference(line, other))
        only_ours = sorted(set(line["units"]) - set(other["units"]))
        only_theirs = sorted(set(other["units"]) - set(line["units"]))
        if not only_ours and not only_theirs:
            continue
        at_cut = [value for value in (margin(line), margin(other)) if value is not None]
        text = (
            f"event {event}, seed {seed}, {layer}: units {only_ours} against {only_theirs} "
            f"of {len(line['units'])}, margin at the cut {max(at_cut, default=float('nan')):.2g}"
        )
        if len(only_ours) == len(only_theirs) and at_cut and max(at_cut) <= score_tolerance:
            report.append(f"tie: {text}")
            counts["ties"] += 1
        else:
            failures.append(text)
        tied.add(seed)  # From here on the two networks are different ones.
    return report, failures, tied, counts


def measures(result, prefix=""):
    """Every measure that is an accuracy per seed, by name."""
    found = {}
    for name, value in result.items():
        if isinstance(value, dict) and "seeds" in value and "mean" in value:
            found[prefix + name] = value["seeds"]
    return found


def compare_accuracies(ours, theirs, tied):
    report, failures = [], []
    largest = 0.0
    pairs = [(measures(ours), measures(theirs))]
    if "ticket" in ours and "ticket" in theirs:
        pairs.append((measures(ours["ticket"], "ticket "), measures(theirs["ticket"], "ticket ")))
    for mine, other in pairs:
        if mine.keys() != other.keys():
            failures.append(f"measures differ: {sorted(mine)} against {sorted(other)}")
            continue
        for name, values in mine.items():
            for seed, a, b in zip(ours["seeds"], values, other[name]):
                if a is None or b is None:
                    if a is not b:
                        failures.append(f"{name}, seed {seed}: {a} against {b}")
                    continue
                allowed = tie_tolerance if seed in tied else accuracy_tolerance
                if seed not in tied:
                    largest = max(largest, abs(a - b))
                if not abs(a - b) <= allowed:
                    failures.append(f"{name}, seed {seed}: {a:.4f} against {b:.4f}, allowed {allowed}")
    report.append(f"accuracies differ by at most {largest:.2g}, allowed {accuracy_tolerance}")
    return report, failures


def compare(folder_a, folder_b):
    """Lines for the reader, and failures. Throws RunError."""
    (result_a, edits_a), (result_b, edits_b) = read_run(folder_a), read_run(folder_b)
    if result_a["config"] != result_b["config"]:
        raise RunError(f"{folder_a} and {folder_b}: the configurations differ")
    report, failures, tied, counts = compare_edits(edits_a, edits_b)
    if counts["edits"] > 0:
        report.insert(
            0,
            f"{counts['units']} units chosen by {counts['edits']} edits, {counts['ties']} ties; "
            f"scores differ by at most {counts['score_difference']:.2g}",
        )
    more, worse = compare_accuracies(result_a, result_b, tied)
    return report + more, failures + worse


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        report, failures = compare(*arguments)
    except RunError as wrong:
        print(f"compare_runs.py: {wrong}", file=sys.stderr)
        return 2
    for line in report:
        print(f"  {line}")
    for line in failures:
        print(f"  FAILED: {line}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
