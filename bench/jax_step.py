"""A training step in JAX: compiled as a whole, with multiplied masks and replicas in parallel by vmap.

Images and convolutions are channels-last and weights are (inputs, units), the fastest layout for XLA on a CPU.
"""

import itertools
import os
from functools import cache, partial

os.environ["JAX_PLATFORMS"] = "cpu"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from peer_work import LEARNING_RATES, Case, make_replica, training_set

CHANNELS_LAST = ("NHWC", "HWIO", "NHWC")


def forward(parameters: dict, masks: dict, h: jax.Array) -> jax.Array:
    *hidden, output = sorted({name.split(".")[0] for name in parameters})  # conv1, conv2, fc1, fc2, ...
    for name in hidden:
        weight, bias = parameters[f"{name}.weight"], parameters[f"{name}.bias"]
        if name.startswith("conv"):
            h = jax.nn.relu(lax.conv_general_dilated(h, weight, (1, 1), "SAME", dimension_numbers=CHANNELS_LAST) + bias)
            count, height, width, channels = h.shape
            h = h.reshape(count, height // 2, 2, width // 2, 2, channels).max((2, 4))
        else:
            h = jax.nn.relu(h.reshape(len(h), -1) @ weight + bias)
            if name in masks:
                h = h * masks[name]
    return h @ parameters[f"{output}.weight"] + parameters[f"{output}.bias"]


def loss_of(parameters: dict, masks: dict, images: jax.Array, labels: jax.Array) -> jax.Array:
    log_probabilities = jax.nn.log_softmax(forward(parameters, masks, images))
    return -jnp.take_along_axis(log_probabilities, labels[:, None], axis=1).mean()


def sgd(parameters: dict, gradients: dict, state: tuple) -> tuple[dict, tuple]:
    return jax.tree.map(lambda p, g: p - LEARNING_RATES["sgd"] * g, parameters, gradients), state


def adam(parameters: dict, gradients: dict, state: tuple) -> tuple[dict, tuple]:
    count, first, second = state
    count = count + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradients)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradients)
    # 1 / (1 - beta^count) by expm1: the direct formula loses four digits to cancellation in single precision.
    first_scale, second_scale = (-1 / jnp.expm1(count * np.log(beta)) for beta in (0.9, 0.999))
    parameters = jax.tree.map(
        lambda p, m, v: p - LEARNING_RATES["adam"] * (m * first_scale) / (jnp.sqrt(v * second_scale) + 1e-8),
        parameters, first, second)
    return parameters, (count, first, second)


def train_step(update, parameters, state, masks, all_images, all_labels, indices):
    loss, gradients = jax.value_and_grad(loss_of)(parameters, masks, all_images[indices], all_labels[indices])
    parameters, state = update(parameters, gradients, state)
    return parameters, state, loss


class JaxTraining:
    """Trains the first replicas of a case together."""

    def __init__(self, case: Case, replicas: int, precision: type = np.float32):
        self.replicas = replicas
        starts = [make_replica(case, replica, precision) for replica in range(replicas)]
        self.parameters = stack([to_jax_layouts(start.parameters) for start in starts])
        self.masks = stack([start.masks for start in starts])
        self.state = ()
        if case.optimizer == "adam":
            first, second = (jax.tree.map(jnp.zeros_like, self.parameters) for _ in range(2))
            self.state = (stack([precision(0)] * replicas), first, second)
        step = partial(train_step, {"sgd": sgd, "adam": adam}[case.optimizer])
        if replicas > 1:
            step = jax.vmap(step, in_axes=(0, 0, 0, None, None, 0))
        self.compiled = jax.jit(step, donate_argnums=(0, 1))
        batches = stack([start.batches.astype(np.int32) for start in starts])
        self.batches = itertools.cycle([batches[..., i, :] for i in range(batches.shape[-2])])
        self.images, self.labels = arrays_of(case.network, precision)

    def step(self) -> jax.Array:
        self.parameters, self.state, loss = self.compiled(self.parameters, self.state, self.masks, self.images,
                                                          self.labels, next(self.batches))
        return loss

    def run(self, steps: int):
        for _ in range(steps):
            self.step()
        jax.block_until_ready(self.parameters)

    def losses(self, steps: int) -> np.ndarray:
        """Losses (steps, replicas)."""
        return np.array([np.asarray(self.step()) for _ in range(steps)]).reshape(steps, self.replicas)


def stack(replicas: list):
    """Stacks the trees of several replicas on a new first axis; returns a single one unchanged."""
    return jax.tree.map(lambda *leaves: jnp.stack(leaves) if len(leaves) > 1 else jnp.asarray(leaves[0]), *replicas)


def to_jax_layouts(parameters: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    converted = {}
    for name, value in parameters.items():
        if name.startswith("conv") and name.endswith("weight"):
            value = value.transpose(2, 3, 1, 0)  # OIHW to HWIO
        elif name.endswith("weight"):
            if name == "fc1.weight" and "conv2.weight" in parameters:  # its inputs from CHW to HWC
                value = value.reshape(-1, 64, 8, 8).transpose(0, 2, 3, 1).reshape(len(value), -1)
            value = value.T
        converted[name] = value
    return converted


@cache
def arrays_of(network: str, precision: type) -> tuple[jax.Array, jax.Array]:
    images, labels = training_set(network, precision)
    if images.ndim == 4:
        images = images.transpose(0, 2, 3, 1)
    return jnp.asarray(images), jnp.asarray(labels, jnp.int32)
