"""Reads the training images and labels of MNIST, Fashion-MNIST, CIFAR-10 and CIFAR-100, packed (.gz, .xz) or not.

They are searched in DIR/<data> and in the folders to which the original archives and torchvision unpack.
"""

import gzip
import lzma
from pathlib import Path

import numpy as np

FOLDERS = {
    "mnist": ["mnist", "MNIST/raw"],
    "fashion-mnist": ["fashion-mnist", "FashionMNIST/raw", "/usr/share/datasets/fashion-mnist"],  # the last: Debian
    "cifar-10": ["cifar-10", "cifar-10-batches-bin"],
    "cifar-100": ["cifar-100", "cifar-100-binary"],
}

# Mean and standard deviation per channel, for pixels in [0, 1].
STATISTICS = {
    "mnist": ([0.1307], [0.3081]),
    "fashion-mnist": ([0.2860], [0.3530]),
    "cifar-10": ([0.4914, 0.4822, 0.4465], [0.2470, 0.2435, 0.2616]),
    "cifar-100": ([0.5071, 0.4865, 0.4409], [0.2673, 0.2564, 0.2762]),
}


def read_training_set(data: str, directory: Path) -> tuple[np.ndarray, np.ndarray]:
    """Images (N, C, H, W) as bytes and labels (N); fine labels of CIFAR-100, and all CIFAR-10 batches that exist."""
    if data in ("mnist", "fashion-mnist"):
        return read_idx(find(data, directory, "train-images-idx3-ubyte"))[:, None], read_idx(
            find(data, directory, "train-labels-idx1-ubyte"))
    if data == "cifar-100":
        records = read_records(find(data, directory, "train.bin"), label_bytes=2)
    else:
        batches = [find(data, directory, "data_batch_1.bin")]
        while len(batches) < 5 and (following := present(batches[0].parent, f"data_batch_{len(batches) + 1}.bin")):
            batches.append(following)
        records = np.concatenate([read_records(batch, label_bytes=1) for batch in batches])
    return records[:, -3072:].reshape(-1, 3, 32, 32), records[:, -3073]


def find(data: str, directory: Path, name: str) -> Path:
    folders = [directory / folder for folder in FOLDERS[data]]
    for folder in folders:
        if path := present(folder, name):
            return path
    raise FileNotFoundError(f"{name} (or .gz, .xz) of {data} is in none of: {', '.join(map(str, folders))}. "
                            "Name the folder above with --data-dir.")


def present(folder: Path, name: str) -> Path | None:
    return next((path for ending in ("", ".gz", ".xz") if (path := folder / (name + ending)).is_file()), None)


def read(path: Path) -> bytes:
    opener = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with opener(path, "rb") as file:
        return file.read()


def read_idx(path: Path) -> np.ndarray:
    content = read(path)
    dimensions = content[3]
    shape = np.frombuffer(content, ">u4", dimensions, offset=4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * dimensions).reshape(shape)


def read_records(path: Path, label_bytes: int) -> np.ndarray:
    return np.frombuffer(read(path), np.uint8).reshape(-1, label_bytes + 3072)
