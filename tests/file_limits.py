"""Fails if a source file of the product is longer than 350 lines, or a line of the documentation than 120 characters.

python3 tests/file_limits.py <folder of the sources>
"""

import pathlib
import sys

MAX_LINES = 350
MAX_COLUMNS = 120
ROOMS = ["base", "bench", "cli", "lab", "layers", "optim", "plasticity", "selftest", "streams", "sycl"]
SOURCES = {".cpp", ".hpp", ".sycl"}

root = pathlib.Path(sys.argv[1])
errors = []
sources = [file for room in ROOMS for file in sorted((root / room).rglob("*")) if file.suffix in SOURCES]
pages = [*sorted(root.glob("*.md")), *sorted((root / "docs").rglob("*.md"))]
if not sources or not pages:
    sys.exit(f"{root}: no sources or no documentation found")

for file in sources:
    lines = len(file.read_text().splitlines())
    if lines > MAX_LINES:
        errors.append(f"{file.relative_to(root)}: {lines} lines, at most {MAX_LINES} allowed; split the file by subject")
for file in pages:
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if len(line) > MAX_COLUMNS:
            errors.append(f"{file.relative_to(root)}:{number}: {len(line)} characters, at most {MAX_COLUMNS} allowed")

print("\n".join(errors))
sys.exit(1 if errors else 0)
