"""Runs Cambium on PoCL, a second OpenCL runtime for CPUs, and compares it with Intel's.

    python3 tests/portability/pocl.py [--quick] --root ROOT --build BUILD --out FOLDER

ROOT is made by setup/gpu_root.sh unless it is there, BUILD is the folder that Cambium was built in. What is run:

  selftest    every kernel and backend, with each of PoCL's methods to run a work-group on one thread
  tests       the tests that use a device
  training    small GROW, PRUNE and stream runs on both runtimes: the same units must be chosen (compare_runs.py)
  devices     both runtimes side by side: the list is JSON, and Intel's CPU is the default; a run on both agrees with
              the one on Intel's alone

With --quick, as in CI: selftest with one method, training, devices. Exit code 0: all is well, or ROOT cannot be made
on this machine and CI is not "true"; 1: something failed.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import compare_runs

here = pathlib.Path(__file__).resolve().parent
methods = ["loopvec", "cbs", "loops"]

small = "--data fashion-mnist --hidden 64 --batch 500 --epochs 3 --cycles 3 --seeds 1..2"
stream = "--stream split-fashion --hidden 64 --batch 200 --tasks 5 --epochs-per-task 1 --seeds 1..2"
runs = {
    "grow": f"{small} --method grow --grow-score gradient",
    "prune": f"{small} --method prune",
    "stream": f"{stream} --method grow",
}
more_runs = {
    "grow-activation": f"{small} --method grow --grow-score activation",
    "grow-gradmax": f"{small} --method grow --grow-score gradmax --optimizer adam --intervention net2wider,moment_transplant",
    "stream-prune": f"{stream} --method prune",
    "convnet": "--data fashion-mnist --network convnet --hidden 32 --batch 1000 --epochs 2 --cycles 2 --seeds 1 "
    "--method grow --no-ticket",
}


class Checks:
    def __init__(self, arguments):
        self.root = pathlib.Path(arguments.root).resolve()
        self.build = pathlib.Path(arguments.build).resolve()
        self.out = pathlib.Path(arguments.out).resolve()
        self.program = self.build / "cambium"
        self.intel = pathlib.Path(arguments.oneapi).resolve() / "lib" / "libintelocl.so"
        self.failed = []

    def run(self, words, log, **environment):
        """The exit code of a command; what it prints is in the log, a file in the output folder."""
        log = self.out / log
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "w") as file:
            ended = subprocess.run(
                [str(word) for word in words], stdout=file, stderr=subprocess.STDOUT, env=os.environ | environment
            )
        return ended.returncode

    def on_pocl(self, words, beside_intel=False):
        beside = ["--beside", self.intel] if beside_intel else []
        return [here / "with_pocl.sh", *beside, self.root, *words]

    def report(self, name, passed, text, log=None, seconds=None):
        took = "" if seconds is None else f" ({seconds:.0f} s)"
        print(f"{name:<28} {'ok' if passed else 'FAILED':<7} {text}{took}", flush=True)
        if passed:
            return
        self.failed.append(name)
        if log is not None:
            lines = (self.out / log).read_text(errors="replace").splitlines()
            print("\n".join(f"    {line}" for line in lines[-15:]))
            print(f"    All of it: {self.out / log}", flush=True)

    def selftest(self, method):
        # Built kernels depend on the method, which is no part of the caches' keys.
        caches = {
            "CAMBIUM_CACHE_DIR": str(self.out / "cache" / method),
            "POCL_CACHE_DIR": str(self.out / "cache" / f"{method}-pocl"),
        }
        log, start = f"selftest-{method}.log", time.monotonic()
        code = self.run(self.on_pocl([self.program, "selftest"]), log, POCL_WORK_GROUP_METHOD=method, **caches)
        lines = [line for line in (self.out / log).read_text().splitlines() if " checks passed" in line]
        self.report(
            f"selftest, {method}", code == 0, lines[-1] if lines else f"exit code {code}", log, time.monotonic() - start
        )

    def device_tests(self):
        log, start = "tests.log", time.monotonic()
        code = self.run(self.on_pocl([self.build / "tests" / "cambium_tests", "--gtest_brief=1"]), log)
        lines = [line for line in (self.out / log).read_text().splitlines() if "PASSED" in line]
        self.report("device tests", code == 0, lines[-1] if lines else f"exit code {code}", log, time.monotonic() - start)

    def training(self, name, flags):
        start = time.monotonic()
        words = [self.program, "--quiet", "train", *flags.split(), "--out"]
        folders = {"intel": self.out / name / "intel", "pocl": self.out / name / "pocl"}
        for runtime, folder in folders.items():
            shutil.rmtree(folder, ignore_errors=True)
            command = [*words, folder] if runtime == "intel" else self.on_pocl([*words, folder])
            code = self.run(command, f"{name}/{runtime}.log")
            if code != 0:
                return self.report(name, False, f"exit code {code} on {runtime}", f"{name}/{runtime}.log")
        used = {runtime: device_of(folder) for runtime, folder in folders.items()}
        if used["intel"] == used["pocl"]:
            return self.report(name, False, f"both runs used {used['pocl']}")
        report, failures = compare_runs.compare(folders["intel"], folders["pocl"])
        self.report(name, not failures, "; ".join(report), seconds=time.monotonic() - start)
        for line in failures:
            print(f"    {line}", flush=True)

    def both_devices(self, name, flags):
        """A run whose seeds are divided over both runtimes, against the one on Intel's alone."""
        folder, log, start = self.out / name / "both", f"{name}/both.log", time.monotonic()
        shutil.rmtree(folder, ignore_errors=True)
        words = [self.program, "--quiet", "train", *flags.split(), "--device", "Intel(R) OpenCL,pocl", "--out", folder]
        code = self.run(self.on_pocl(words, beside_intel=True), log)
        if code != 0:
            return self.report(f"{name} on both", False, f"exit code {code}", log)
        report, failures = compare_runs.compare(self.out / name / "intel", folder)
        self.report(f"{name} on both", not failures, "; ".join(report), seconds=time.monotonic() - start)
        for line in failures:
            print(f"    {line}", flush=True)

    def devices(self):
        code = self.run(self.on_pocl([self.program, "devices", "--json"], beside_intel=True), "devices.json")
        text = (self.out / "devices.json").read_text()
        try:
            listed = json.loads(text)
            default = listed["devices"][listed["default"]]
            passed = code == 0 and len(listed["devices"]) == 2 and "Intel" in default["platform"]
            text = f"default {default['selector']}: {listed['why_default']}"
        except (ValueError, KeyError, TypeError, IndexError) as wrong:
            passed, text = False, f"not the JSON that was expected: {wrong}"
        self.report("two runtimes", passed, text, "devices.json")


def make_root(root):
    """Whether PoCL is there; says why not."""
    ended = subprocess.run([here.parent.parent / "setup" / "gpu_root.sh", root])
    if ended.returncode == 0:
        return True
    print(f"Skipped: {root} could not be made, so there is no PoCL to run on. With CI=true this is a failure.")
    return False


def device_of(folder):
    with open(folder / "sessions.jsonl") as file:
        session = json.loads(file.readline())
    return session["device"], session["driver"]


def main():
    parser = argparse.ArgumentParser(description="Runs Cambium on PoCL and compares it with Intel's CPU runtime.")
    parser.add_argument("--quick", action="store_true", help="only what every CI run does")
    parser.add_argument("--root", default="build/gpu-root", help="folder made by setup/gpu_root.sh")
    parser.add_argument("--oneapi", default="build/oneapi", help="folder with Intel's CPU runtime in lib/")
    parser.add_argument("--build", default="build/release", help="folder that Cambium was built in")
    parser.add_argument("--out", default="build/portability", help="folder for logs and runs")
    arguments = parser.parse_args()
    if not make_root(arguments.root):
        return 1 if os.environ.get("CI") == "true" else 0
    checks = Checks(arguments)
    checks.devices()
    # Most of a self-test is spent in PoCL's compiler, on one thread.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(checks.selftest, methods[:1] if arguments.quick else methods))
    for name, flags in runs.items() if arguments.quick else (runs | more_runs).items():
        checks.training(name, flags)
    checks.both_devices("grow", runs["grow"])
    if not arguments.quick:
        checks.device_tests()
    if checks.failed:
        print(f"\nFailed on PoCL: {', '.join(checks.failed)}", file=sys.stderr)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
