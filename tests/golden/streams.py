"""The random numbers of a run as pure functions of the seed, in numpy, implemented from their definition.

Philox4x32-10 (Salmon et al., 2011), key = (seed, purpose), counter = position. A number is word [index % 4] of the
block with the counter (index / 4, a, b, c); the meaning of `a` to `c` depends on the purpose.
"""

from functools import lru_cache

import numpy as np

INITIAL_WEIGHTS = 0x494E4954
RANDOM_MASKS = 0x4D41534B
DATA_ORDER = 0x4F524452
RANDOM_SLOPES = 0x52534C00
SCORING_BATCH = 0x53434F52
RANDOM_SCORES = 0x53454C45
DONOR = 0x444F4E52
INSERTION_NOISE = 0x4E4F4953
DIAGNOSIS = 0x44494147

LOW = np.uint64(0xFFFFFFFF)
HALF = np.uint64(32)


def blocks(first, second, third, fourth, seed: int, purpose: int) -> np.ndarray:
    """The four words (..., 4) of each counter; its components may be arrays or numbers."""
    x0, x1, x2, x3 = (np.asarray(word, np.uint64) for word in (first, second, third, fourth))
    k0, k1 = seed & 0xFFFFFFFF, purpose
    for _ in range(10):
        p0, p1 = x0 * np.uint64(0xD2511F53), x2 * np.uint64(0xCD9E8D57)
        x0, x1, x2, x3 = (p1 >> HALF) ^ x1 ^ np.uint64(k0), p1 & LOW, (p0 >> HALF) ^ x3 ^ np.uint64(k1), p0 & LOW
        k0, k1 = (k0 + 0x9E3779B9) & 0xFFFFFFFF, (k1 + 0xBB67AE85) & 0xFFFFFFFF
    return np.stack(np.broadcast_arrays(x0, x1, x2, x3), axis=-1)


def words(count: int, seed: int, purpose: int, a: int = 0, b: int = 0, c: int = 0) -> np.ndarray:
    """Words 0 .. count - 1 of a sequence."""
    return blocks(np.arange((count + 3) // 4), a, b, c, seed, purpose).reshape(-1)[:count]


def uniform(word: np.ndarray) -> np.ndarray:
    """A number in [0, 1), exact in single and in double precision."""
    return (word >> np.uint64(8)).astype(np.float64) * 2.0**-24


def below(word: int, bound: int) -> int:
    return (int(word) * bound) >> 32


def drawn(count: int, amount: int, seed: int, purpose: int, sequence: int) -> np.ndarray:
    """`amount` of the numbers 0 .. count - 1 without replacement: the end of a Fisher-Yates shuffle from the back."""
    order = list(range(count))
    for done, word in enumerate(words(amount, seed, purpose, sequence).tolist()):
        left = count - done
        if left == 1:
            break
        other = below(word, left)
        order[left - 1], order[other] = order[other], order[left - 1]
    return np.array(order[count - amount:])


def initial_values(shape: tuple[int, ...], bound: float, seed: int, number: int, redraw: int) -> np.ndarray:
    """U(-bound, bound) in single precision for parameter tensor `number`; `redraw` is 1 for a fresh ticket."""
    u = uniform(words(int(np.prod(shape)), seed, INITIAL_WEIGHTS, number, redraw)).astype(np.float32)
    return (np.float32(bound) * (np.float32(2) * u - np.float32(1))).reshape(shape)


def random_units(width: int, amount: int, seed: int, layer: int) -> list[int]:
    return sorted(drawn(width, width, seed, RANDOM_MASKS, layer)[:amount].tolist())


@lru_cache(maxsize=64)
def epoch_order(images: int, seed: int, epoch: int) -> np.ndarray:
    return drawn(images, images, seed, DATA_ORDER, epoch)


def scoring_batch(images: int, batch: int, seed: int, event: int) -> np.ndarray:
    return drawn(images, min(batch, images), seed, SCORING_BATCH, event)


def diagnosis_batches(images: int, batch: int, seed: int, event: int) -> list[np.ndarray]:
    """Eight batches, or as many full batches as the images allow."""
    sample = drawn(images, min(8 * batch, images), seed, DIAGNOSIS, event)
    return [sample[start:start + batch] for start in range(0, len(sample) - batch + 1, batch)]


def random_scores(width: int, seed: int, layer: int, event: int) -> np.ndarray:
    return uniform(words(width, seed, RANDOM_SCORES, layer, event))


def donors(incumbents: list[int], newborns: int, seed: int, layer: int, event: int) -> list[int]:
    """An incumbent for each newborn, both in ascending order."""
    return [incumbents[below(word, len(incumbents))] for word in words(newborns, seed, DONOR, layer, event)]


def normal_row(inputs: int, seed: int, unit: int, layer: int, event: int) -> np.ndarray:
    """Standard normal numbers for the incoming weights of one unit (Box-Muller)."""
    u = uniform(blocks(np.arange(inputs), unit, layer, event, seed, INSERTION_NOISE))
    return np.sqrt(-2 * np.log(1 - u[:, 0])) * np.cos(2 * np.pi * u[:, 1])


def slopes(rows: int, width: int, seed: int, layer: int, step: int, lower: float, upper: float) -> np.ndarray:
    """Random slopes of one training step, (rows, width), by the index in the full-width layer."""
    first = blocks(np.arange(rows * width), layer, step & 0xFFFFFFFF, step >> 32, seed, RANDOM_SLOPES)[:, 0]
    return (lower + (upper - lower) * uniform(first)).reshape(rows, width)
