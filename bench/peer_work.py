"""The cases on which Cambium, PyTorch and JAX are timed, and the data, parameters, masks and batches of the peers.

A step trains one batch: fetch it from the training set in memory by its indices, forward, softmax cross-entropy,
backward, update. The images are random numbers in the sizes of MNIST and CIFAR-100, because their content does not
change the time. Everything is in single precision; double precision serves to check that the peers compute the same.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

# Small enough that nothing is learnt: a network that has memorised its few noise images has denormal gradients, which
# make a CPU a hundred times slower in every program.
LEARNING_RATES = {"sgd": 1e-9, "adam": 1e-9}
NETWORKS = {  # images, shape of an image, hidden units, active units at 20 % compactness, classes
    "mlp": (60000, (784,), (256, 256), (51, 51), 10),
    "convnet": (50000, (3, 32, 32), (512, 512, 256), (102, 102, 51), 100),
}
PREPARED_BATCHES = 256


@dataclass(frozen=True)
class Case:
    network: str
    batch: int
    compactness: float  # 1: a dense network without masks
    replicas: int
    optimizer: str

    @property
    def name(self) -> str:
        width = "dense" if self.compactness == 1 else "compact"
        return f"{self.network}/{self.batch}/{width}/{self.replicas}/{self.optimizer}"


ALL_CASES = [Case(network, batch, compactness, replicas, optimizer)
             for network, batches in (("mlp", (16, 64, 256)), ("convnet", (128,)))
             for batch in batches
             for compactness in (1, 0.2)
             for replicas in (1, 10)
             for optimizer in ("sgd", "adam")]


@dataclass
class Replica:
    parameters: dict[str, np.ndarray]  # names and layouts of PyTorch
    masks: dict[str, np.ndarray]  # by layer; empty in a dense network
    batches: np.ndarray  # (PREPARED_BATCHES, batch) indices of images


@cache
def training_set(network: str, precision: type) -> tuple[np.ndarray, np.ndarray]:
    """Images, (N, 784) or (N, C, H, W), and labels."""
    count, shape, _, _, classes = NETWORKS[network]
    random = np.random.default_rng(0)
    images = random.random((count, *shape), np.float32).astype(precision, copy=False)
    return images, random.integers(classes, size=count)


def make_replica(case: Case, replica: int, precision: type) -> Replica:
    count, shape, hidden, active, classes = NETWORKS[case.network]
    random = np.random.default_rng(replica + 1)
    parameters = {}

    def add(name: str, *weight_shape: int):
        bound = np.sqrt(6 / np.prod(weight_shape[1:]))
        parameters[f"{name}.weight"] = random.uniform(-bound, bound, weight_shape).astype(precision)
        parameters[f"{name}.bias"] = np.zeros(weight_shape[0], precision)

    inputs = shape[0]
    if case.network == "convnet":
        add("conv1", 32, 3, 3, 3)
        add("conv2", 64, 32, 3, 3)
        inputs = 64 * 8 * 8
    widths = [inputs, *hidden, classes]
    for i in range(len(widths) - 1):
        add(f"fc{i + 1}", widths[i + 1], widths[i])

    masks = {}
    if case.compactness != 1:
        for i, units in enumerate(hidden):
            masks[f"fc{i + 1}"] = np.zeros(units, precision)
            masks[f"fc{i + 1}"][random.choice(units, active[i], replace=False)] = 1
    return Replica(parameters, masks, random.integers(count, size=(PREPARED_BATCHES, case.batch)))
