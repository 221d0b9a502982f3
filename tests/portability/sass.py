#!/usr/bin/env python3
"""Instruction mix and inner loops of kernels in NVIDIA machine code.

    tests/portability/sass.py [--target sm_80] --source sycl/gemm.sycl -D TILE_ROWS=64 ...   a source file on disk
    tests/portability/sass.py [--target sm_80] --only gemm.sycl                             units of the program

Prints registers, spills, stack, local memory and occupancy per kernel, and for the loop with the most FFMA: FFMA per
shared-load instruction, loads by width, barriers. Needs ptxas and nvdisasm: `setup/install.sh build/nvidia nvidia`.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parents[2]
NVIDIA = PROJECT / "build/nvidia"
# Per multiprocessor: work-items, work-groups, bytes of shared memory.
LIMITS = {"sm_80": (2048, 32, 164 * 1024), "sm_86": (1536, 16, 100 * 1024), "sm_89": (1536, 24, 100 * 1024),
          "sm_90": (2048, 32, 228 * 1024)}


def find_nvidia(program):
    """The path of `program`, from the pinned wheels or from PATH; None if neither has it."""
    for path in NVIDIA.glob(f"lib/python3*/site-packages/nvidia/*/bin/{program}"):
        if not os.access(path, os.X_OK):
            path.chmod(0o755)
        return str(path)
    return shutil.which(program)


def nvidia_environment():
    """The environment for `cambium kernels`, in which CUDA_PATH names the wheels if they are installed."""
    environment = dict(os.environ)
    ptxas = find_nvidia("ptxas")
    if ptxas and NVIDIA in pathlib.Path(ptxas).parents:
        environment["CUDA_PATH"] = str(pathlib.Path(ptxas).parents[1])
    return environment


INSTRUCTION = re.compile(r"/\*([0-9a-f]{4,})\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)([^;]*);")


def parse_sass(text):
    """{kernel: [(address, opcode, operands)]} of the text of `nvdisasm -c`, with branch targets as addresses."""
    kernels, name, pending, labels = {}, None, [], {}
    for line in text.splitlines():
        if match := re.match(r"\.text\.(\S+):", line):
            name, labels, pending = match.group(1), {}, []
            kernels[name] = ([], labels)
        elif match := re.match(r"(\.L_\S+):", line):
            pending.append(match.group(1))
        elif name and (match := INSTRUCTION.search(line)):
            address = int(match.group(1), 16)
            for label in pending:
                labels[label] = address
            pending = []
            kernels[name][0].append((address, match.group(2), match.group(3)))
    result = {}
    for kernel, (instructions, marks) in kernels.items():
        resolve = lambda operands: re.sub(r"`?\(?(\.L_\w+)\)?", lambda m: hex(marks.get(m.group(1), 0)), operands)
        result[kernel] = [(a, op, resolve(rest) if op.startswith("BRA") else rest) for a, op, rest in instructions]
    return result


def count(instructions):
    """How often each kind of instruction occurs; loads and stores by width in bits."""
    mix = collections.Counter(all=len(instructions))
    for _, opcode, _ in instructions:
        parts = opcode.split(".")
        kind = parts[0]
        if kind in ("LDS", "STS", "LDG", "STG", "LDL", "STL", "LD", "ST", "LDGSTS"):
            width = next((part for part in parts[1:] if part in ("64", "128")), "32")
            mix[f"{kind}.{width}"] += 1
        elif kind in ("FFMA", "FMUL", "FADD", "BAR", "CALL", "HMMA", "IMAD", "MUFU", "SHFL"):
            mix[kind] += 1
    return mix


def inner_loop(instructions):
    """The instructions of the shortest loop among those with the most FFMA; empty without a loop."""
    best, best_key = [], (0, 0)
    for address, opcode, operands in instructions:
        if not opcode.startswith("BRA"):
            continue
        target = re.findall(r"0x[0-9a-f]+", operands)
        if not target or int(target[-1], 16) >= address:
            continue
        body = [i for i in instructions if int(target[-1], 16) <= i[0] <= address]
        ffma = sum(op.startswith(("FFMA", "HMMA")) for _, op, _ in body)
        if (ffma, -len(body)) > best_key:
            best, best_key = body, (ffma, -len(body))
    return best


def loads(mix):
    return sum(n for kind, n in mix.items() if kind.startswith("LDS."))


def occupancy(registers, group, shared, target):
    """Share of a multiprocessor's work-items that can be resident at once."""
    items, groups, memory = LIMITS.get(target, LIMITS["sm_80"])
    warps = -(-group // 32)
    per_warp = -(-registers * 32 // 256) * 256
    fits = min(groups, items // (warps * 32), 65536 // per_warp // warps)
    if shared:
        fits = min(fits, memory // (shared + 1024))
    return fits * warps * 32 / items


def group_size(unit):
    """Work-items of a group by the unit's definitions; 256 if they do not say."""
    found = {key: int(value) for key, value in re.findall(r"\b([A-Z_]+)=(\d+)", unit)}
    if "TILE_ROWS" not in found:
        return 256
    return found["TILE_ROWS"] // found.get("ROWS", 4) * (found["TILE_COLUMNS"] // found.get("COLUMNS", 4))


def kernels_in(cubin, nvdisasm):
    """{kernel: instructions} of a cubin file, with the kernels' names in the source."""
    text = subprocess.run([nvdisasm, "-c", str(cubin)], check=True, capture_output=True, text=True).stdout
    return {name.removeprefix("__sycl_kernel_"): body for name, body in parse_sass(text).items()}


def report(folder, results, target, nvdisasm, group):
    for result in results:
        print(result["unit"])
        cubin = next((f for f in result["files"] if f.endswith(".cubin")), None)
        if cubin is None:
            continue
        code = kernels_in(folder / cubin, nvdisasm)
        for kernel in result["kernels"]:
            size = group or group_size(result["unit"])
            share = occupancy(kernel["registers"], size, kernel["local_memory"], target)
            print(f"  {kernel['kernel']}: registers {kernel['registers']}, spill {kernel['spill']}, stack {kernel['stack']}, "
                  f"local memory {kernel['local_memory']}, occupancy {share:.0%} with groups of {size}")
            body = code.get(kernel["kernel"], [])
            print("    whole kernel:", show(count(body)))
            loop = inner_loop(body)
            if not loop:
                continue
            mix = count(loop)
            ratio = f"{mix['FFMA'] / loads(mix):.1f} FFMA per shared load; " if loads(mix) else ""
            print(f"    inner loop: {ratio}{show(mix)}")


def show(mix):
    return ", ".join(f"{kind} {n}" for kind, n in sorted(mix.items()) if n)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--target", default="sm_80")
    parser.add_argument("--source", help="kernel source on disk")
    parser.add_argument("-D", dest="definitions", action="append", default=[], help="definition for --source")
    parser.add_argument("--only", help="units of the program whose name contains this text")
    parser.add_argument("--group", type=int, help="work-items per group; default by TILE_ROWS and TILE_COLUMNS, else 256")
    parser.add_argument("--cambium", default=str(PROJECT / "build/release/cambium"))
    arguments = parser.parse_args()
    nvdisasm = find_nvidia("nvdisasm")
    if nvdisasm is None:
        sys.exit("nvdisasm not found. Install it: setup/install.sh build/nvidia nvidia")
    command = [arguments.cambium, "kernels", "--json", "--target", arguments.target]
    if arguments.source:
        command += ["--source", arguments.source] + [w for d in arguments.definitions for w in ("-D", d)]
    if arguments.only:
        command += ["--only", arguments.only]
    with tempfile.TemporaryDirectory() as folder:
        ended = subprocess.run(command + ["--out", folder], stdout=subprocess.PIPE, text=True, env=nvidia_environment())
        if not ended.stdout:
            sys.exit(ended.returncode)
        report(pathlib.Path(folder), json.loads(ended.stdout), arguments.target, nvdisasm, arguments.group)
        sys.exit(ended.returncode)


if __name__ == "__main__":
    main()
