"""The random slopes of the activation rsl, as Cambium draws them (base/philox.hpp, layers/activation.sycl), in numpy.

A slope is a function of its position: the seed, the activation's index counted from the input, the training step, and
the row-major index in the layer's full-width (sample, unit, position) tensor.
"""

import numpy as np

PURPOSE = 0x52534C00  # "RSL"
CHUNK = 1 << 15  # elements at a time, so that the rounds stay in the cache


def random_slopes(shape: tuple[int, ...], seed: int, layer: int, step: int, lower: float, upper: float) -> np.ndarray:
    """Slopes from U(lower, upper) for a tensor of pre-activations, single precision."""
    size = int(np.prod(shape))
    word = np.empty(size, np.uint32)
    for start in range(0, size, CHUNK):
        elements = np.arange(start, min(start + CHUNK, size)).astype(np.uint32)
        rest = [np.full_like(elements, value & 0xFFFFFFFF) for value in (layer, step, step >> 32)]
        word[start:start + len(elements)] = philox([elements, *rest], (seed & 0xFFFFFFFF, PURPOSE))[0]
    uniform = (word >> 8).astype(np.float32) * np.float32(2**-24)
    return (np.float32(lower) + np.float32(upper - lower) * uniform).reshape(shape)


def philox(counter: list[np.ndarray], key: tuple[int, int]) -> list[np.ndarray]:
    """Philox4x32-10 (Salmon et al., 2011) on four arrays of 32-bit words."""
    for round_index in range(10):
        key0, key1 = ((word + round_index * weyl) & 0xFFFFFFFF for word, weyl in zip(key, (0x9E3779B9, 0xBB67AE85)))
        first = counter[0] * np.uint64(0xD2511F53)
        second = counter[2] * np.uint64(0xCD9E8D57)
        counter = [high(second) ^ counter[1] ^ np.uint32(key0), second.astype(np.uint32),
                   high(first) ^ counter[3] ^ np.uint32(key1), first.astype(np.uint32)]
    return counter


def high(product: np.ndarray) -> np.ndarray:
    return (product >> np.uint64(32)).astype(np.uint32)
