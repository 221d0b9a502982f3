#!/usr/bin/env python3
"""Compiles every kernel unit to machine code of three vendors' GPUs and compares its resources with a stored table.

    tests/portability/machine_code.py [--update] [--target T ...] [--build BUILD] [--root ROOT] [--out FOLDER]

The code is made by `cambium kernels`; see docs/portability.md. A failure is
  - a unit that does not build for a target, or a kernel that is missing from the table (run with --update)
  - spills or stack above those in the table, or above 0 without a reason in the table's last column
  - a call of a function that was not inlined
  - more than 32 KiB of local memory
  - an inner loop of the GEMM on sm_80 with fewer than 4 FFMA per shared load, with a load of shared memory or a
    coalesced load of global memory that is not a vector, or with less than 50 % occupancy

Registers that changed are listed and are no failure. --update writes the table (machine_code.csv) anew and keeps its
reasons. A target whose assembler is missing is skipped with a message; with CI=true that is a failure.
Exit code 0: as in the table; 1: a failure; 2: the check could not start.
"""

import argparse
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import sass

here = pathlib.Path(__file__).resolve().parent
targets = ["sm_80", "sm_90", "tgllp", "dg2", "pvc", "bmg", "gfx90a", "gfx1100"]
table_file = here / "machine_code.csv"
columns = ["unit", "kernel", "target", "registers", "spill", "stack", "local_memory", "reason"]
most_local_memory = 32 * 1024
in_ci = os.environ.get("CI") == "true"


def read_table(file):
    """{(unit, kernel, target): row} with numbers as int."""
    if not file.exists():
        return {}
    with open(file, newline="") as stream:
        rows = list(csv.DictReader(stream))
    for row in rows:
        for key in columns[3:7]:
            row[key] = int(row[key])
    return {(row["unit"], row["kernel"], row["target"]): row for row in rows}


def write_table(file, rows):
    with open(file, "w", newline="") as stream:
        writer = csv.DictWriter(stream, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[key] for key in sorted(rows))


def rows_of(results):
    """The table's rows for the results of `cambium kernels --json`, without reasons."""
    rows = {}
    for result in results:
        for kernel in result["kernels"]:
            row = {"unit": result["unit"], "target": result["target"], "reason": ""}
            row |= {key: kernel[key] for key in columns if key in kernel}
            rows[row["unit"], row["kernel"], row["target"]] = row
    return rows


def compare(stored, results, checked_targets):
    """(failures, notes) of results against the stored table."""
    failures, notes = [], []
    for result in results:
        if result["error"]:
            first = result["error"].strip().splitlines()[0]
            failures.append(f"{result['unit']} for {result['target']} does not build: {first}")
    found = rows_of(results)
    calls = {
        (r["unit"], k["kernel"], r["target"]) for r in results for k in r["kernels"] if k["calls"]
    }
    for key, row in found.items():
        name = f"{row['unit']}: {row['kernel']} for {row['target']}"
        known = stored.get(key)
        if key in calls:
            failures.append(f"{name} calls a function that was not inlined")
        if row["local_memory"] > most_local_memory:
            failures.append(f"{name} uses {row['local_memory']} bytes of local memory; at most {most_local_memory}")
        if known is None:
            failures.append(f"{name} is not in the table; run tests/portability/machine_code.py --update")
            known = {"spill": 0, "stack": 0, "reason": "", "registers": row["registers"]}
        for what in ("spill", "stack"):
            if row[what] > known[what]:
                failures.append(f"{name}: {what} grew from {known[what]} to {row[what]}")
            elif row[what] > 0 and not known["reason"]:
                failures.append(f"{name}: {what} {row[what]} has no reason in the table")
        if row["registers"] != known["registers"]:
            notes.append(f"{name}: registers {known['registers']} -> {row['registers']}")
    broken = {(result["unit"], result["target"]) for result in results if result["error"] or not result["kernels"]}
    for unit, kernel, target in stored:
        if (unit, kernel, target) not in found and target in checked_targets and (unit, target) not in broken:
            failures.append(f"{unit}: {kernel} for {target} is in the table, but no longer made; run with --update")
    return failures, notes


def gemm_failures(folder, results, nvdisasm):
    """What is wrong with the inner loops of the GEMM's tiles on sm_80."""
    failures, lowest = [], {"FFMA per shared load": 1e9, "occupancy": 1e9}
    for result in results:
        if result["target"] != "sm_80" or not result["unit"].startswith("sycl/gemm.sycl"):
            continue
        code = sass.kernels_in(folder / next(f for f in result["files"] if f.endswith(".cubin")), nvdisasm)
        for kernel in result["kernels"]:
            name = f"{result['unit']}: {kernel['kernel']} for sm_80"
            loop = sass.count(sass.inner_loop(code[kernel["kernel"]]))
            shared = sum(n for kind, n in loop.items() if kind.startswith("LDS."))
            ratio = loop["FFMA"] / shared if shared else 0.0
            share = sass.occupancy(kernel["registers"], sass.group_size(result["unit"]), kernel["local_memory"], "sm_80")
            lowest["FFMA per shared load"] = min(lowest["FFMA per shared load"], ratio)
            lowest["occupancy"] = min(lowest["occupancy"], share)
            if ratio < 4:
                failures.append(f"{name}: {ratio:.1f} FFMA per shared load in its inner loop; at least 4")
            if loop["LDS.32"] > 0:
                failures.append(f"{name}: {loop['LDS.32']} scalar loads of shared memory in its inner loop")
            if loop["LDG.128"] == 0:
                failures.append(f"{name}: no 128-bit load of global memory in its inner loop")
            if share < 0.5:
                failures.append(f"{name}: occupancy {share:.0%}; at least 50 %")
    return failures, ", ".join(f"lowest {what} {value:.2g}" for what, value in lowest.items())


def set_up(arguments):
    """Gets the vendors' compilers where they are missing. What cannot be fetched is reported by `cambium kernels`."""
    setup = here.parent.parent / "setup"
    subprocess.run([setup / "gpu_root.sh", arguments.root])
    subprocess.run([setup / "install.sh", sass.NVIDIA, "nvidia"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--update", action="store_true", help="write the table anew")
    parser.add_argument("--target", action="append", help=f"compile for this GPU; repeatable. Default: {' '.join(targets)}")
    parser.add_argument("--build", default="build/release", help="folder that Cambium was built in")
    parser.add_argument("--root", default="build/gpu-root", help="folder made by setup/gpu_root.sh")
    parser.add_argument("--out", default="build/portability/machine-code", help="folder for the code")
    arguments = parser.parse_args()
    wanted = arguments.target or targets
    if arguments.update and arguments.target:
        parser.error("--update needs all targets")
    set_up(arguments)

    start = time.monotonic()
    folder = pathlib.Path(arguments.out)
    shutil.rmtree(folder, ignore_errors=True)
    command = [f"{arguments.build}/cambium", "kernels", "--json", "--out", str(folder)]
    if pathlib.Path(arguments.root).exists():
        command += ["--tools", arguments.root]
    command += [word for target in wanted for word in ("--target", target)]
    ended = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=sass.nvidia_environment())
    if not ended.stdout:
        print(f"`{' '.join(command)}` ended with exit code {ended.returncode}", file=sys.stderr)
        return 2
    results = json.loads(ended.stdout)
    missing = [t for t in wanted if all(not r["kernels"] and not r["error"] for r in results if r["target"] == t)]
    stored = read_table(table_file)
    if arguments.update:
        if missing:
            print(f"The table needs all targets; missing: {', '.join(missing)}", file=sys.stderr)
            return 2
        rows = rows_of(results)
        for key, row in rows.items():
            row["reason"] = stored.get(key, row)["reason"]
        write_table(table_file, rows)
        print(f"{table_file}: {len(rows)} rows")
        stored = rows
    failures, notes = compare(stored, results, [t for t in wanted if t not in missing])

    nvdisasm = sass.find_nvidia("nvdisasm")
    if "sm_80" in wanted and "sm_80" not in missing:
        if nvdisasm is None:
            missing.append("the GEMM's inner loops (nvdisasm is missing)")
        else:
            found, text = gemm_failures(folder, results, nvdisasm)
            failures += found
            print(f"{'GEMM on sm_80':<28} {'FAILED' if found else 'ok':<7} {text}")
    for what in missing:
        print(f"Skipped: {what}. With CI=true this is a failure.")
    if in_ci:
        failures += [f"{what} was not checked" for what in missing]

    kernels = sum(len(result["kernels"]) for result in results)
    units = len({result["unit"] for result in results})
    for line in notes[:20] + ([f"... and {len(notes) - 20} more"] if len(notes) > 20 else []):
        print(f"    {line}")
    print(f"{'machine code':<28} {'FAILED' if failures else 'ok':<7} {units} units, {len(wanted)} targets, {kernels} kernels "
          f"({time.monotonic() - start:.0f} s)")
    for line in failures:
        print(f"    {line}", file=sys.stderr)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
