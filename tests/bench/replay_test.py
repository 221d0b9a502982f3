"""Tests bench/replay_pytorch.py with traces of a trainer that shares nothing with it: numpy, gradients by hand.

    build/peers/bin/python tests/bench/replay_test.py
"""

import contextlib
import io
import json
import struct
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import numpy as np
import torch
from safetensors.numpy import save_file

sys.path.insert(0, str(Path(__file__).parents[2] / "bench"))
import replay_pytorch

IMAGES, STEPS, BATCH, HIDDEN, CLASSES, SEEDS = 40, 6, 8, 9, 10, [3, 4]
CONFIG = {"data": "mnist", "network": "mlp", "hidden": HIDDEN, "leaky_alpha": 0.1, "rsl_c": 2.0, "rsl_p": 0.8,
          "rsl_lower": 0.3, "rsl_upper": 0.6, "optimizer": "sgd", "momentum": 0.9, "weight_decay": 0.01, "batch": BATCH,
          "pixels": "unit", "augment": False}


def uniform(counter, key):
    """Philox4x32-10 on Python's integers."""
    a, b, c, d = counter
    k0, k1 = key
    for _ in range(10):
        first, second = 0xD2511F53 * a, 0xCD9E8D57 * c
        a, b, c, d = (second >> 32) ^ b ^ k0, second % 2**32, (first >> 32) ^ d ^ k1, first % 2**32
        k0, k1 = (k0 + 0x9E3779B9) % 2**32, (k1 + 0xBB67AE85) % 2**32
    return (a >> 8) / 2**24


def phi(config, z, seed, layer, step):
    """Value and derivative."""
    if config["activation"] == "relu":
        return np.maximum(z, 0), (z > 0).astype(float)
    slope = np.full(z.shape, config["leaky_alpha"])
    if config["activation"] == "rsl":
        for sample, unit in np.ndindex(z.shape):
            u = uniform((sample * HIDDEN + unit, layer, step, 0), (seed, 0x52534C00))
            slope[sample, unit] = config["rsl_lower"] + (config["rsl_upper"] - config["rsl_lower"]) * u
    k = config["rsl_c"] / config["rsl_p"]
    s = 1 / (1 + np.exp(-k * z))
    return slope * z + (1 - slope) * z * s, slope + (1 - slope) * (s + k * z * s * (1 - s))


def train(config, seed, images, labels, random):
    """One replica's part of a trace."""
    widths = [images[0].size, HIDDEN, HIDDEN, CLASSES]
    weights = [random.uniform(-1, 1, (out, into)) * np.sqrt(6 / into) for into, out in zip(widths, widths[1:])]
    biases = [random.uniform(-0.1, 0.1, out) for out in widths[1:]]
    masks = [(random.permutation(HIDDEN) < 6).astype(np.uint8) for _ in range(2)]
    batches = random.integers(IMAGES, size=(STEPS, BATCH)).astype(np.int32)
    batches[-1, 5:] = -1
    trained = [np.float32(p).astype(float) for p in (*weights, *biases)]
    names = [f"fc{i + 1}.{kind}" for kind in ("weight", "bias") for i in range(3)]
    trace = {f"init.{name}": np.float32(p) for name, p in zip(names, trained)}
    trace |= {f"mask.init.fc{i + 1}": mask for i, mask in enumerate(masks)} | {"batches": batches}
    live = [masks[0][:, None] * np.ones((1, widths[0])), np.outer(masks[1], masks[0]), np.ones((CLASSES, 1)) * masks[1],
            *masks, np.ones(CLASSES)]
    velocity, losses = [np.zeros_like(p) for p in trained], []
    for step in range(STEPS):
        rows = batches[step][batches[step] >= 0]
        inputs, slopes = [images[rows].reshape(len(rows), -1) / 255.0], []
        for layer in range(2):
            value, slope = phi(config, inputs[-1] @ trained[layer].T + trained[3 + layer], seed, layer, step)
            inputs.append(value * masks[layer])
            slopes.append(slope * masks[layer])
        logits = inputs[-1] @ trained[2].T + trained[5]
        probabilities = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
        losses.append(-np.log(probabilities[np.arange(len(rows)), labels[rows]]).mean())
        delta = (probabilities - np.eye(CLASSES)[labels[rows]]) / len(rows)
        gradients = [None] * 6
        for layer in (2, 1, 0):
            gradients[layer], gradients[3 + layer] = delta.T @ inputs[layer], delta.sum(0)
            if layer:
                delta = delta @ trained[layer] * slopes[layer - 1]
        for i, gradient in enumerate(gradients):
            velocity[i] = config["momentum"] * velocity[i] + gradient + config["weight_decay"] * trained[i]
            trained[i] -= np.float32(0.1) * velocity[i] * live[i]
    return trace | {f"final.{name}": np.float32(p) for name, p in zip(names, trained)} | {"loss": np.float32(losses)}


class Replay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        random = np.random.default_rng(5)
        self.images = random.integers(256, size=(IMAGES, 28, 28)).astype(np.uint8)
        self.labels = random.integers(CLASSES, size=IMAGES).astype(np.uint8)
        for name, values in ("train-images-idx3-ubyte", self.images), ("train-labels-idx1-ubyte", self.labels):
            path = self.folder / "mnist" / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(struct.pack(f">{values.ndim + 1}I", 0x800 + values.ndim, *values.shape) + values.tobytes())

    def trace(self, activation):
        config, random = CONFIG | {"activation": activation}, np.random.default_rng(6)
        replicas = [train(config, seed, self.images, self.labels, random) for seed in SEEDS]
        tensors = {name: np.stack([replica[name] for replica in replicas]) for name in replicas[0]}
        return config, tensors | {"lr": np.full(STEPS, 0.1, np.float32)}

    def replay(self, config, tensors):
        path = self.folder / "trace.safetensors"
        metadata = {"format": "cambium-trace-1", "config": json.dumps(config), "seeds": json.dumps(SEEDS)}
        save_file(tensors, path, metadata)
        arguments = ["replay", str(path), "--data-dir", str(self.folder), "--tolerance", "5e-6"]
        with mock.patch.object(sys, "argv", arguments), contextlib.redirect_stdout(io.StringIO()):
            return replay_pytorch.main()

    def test_agrees_with_a_trainer_in_numpy(self):
        for activation in "relu", "smooth_leaky", "rsl":
            with self.subTest(activation):
                self.assertEqual(self.replay(*self.trace(activation)), 0)

    def test_finds_one_wrong_loss_weight_seed_or_mask(self):
        config, tensors = self.trace("rsl")
        unit = tensors["mask.init.fc2"][1].argmax()
        for name, index, change in (("loss", (1, 2), 1e-4), ("final.fc2.weight", (0, 3, 4), np.nan),
                                    ("mask.init.fc2", (1, unit), -1)):
            with self.subTest(name):
                wrong = {key: value.copy() for key, value in tensors.items()}
                wrong[name][index] += np.array(change).astype(wrong[name].dtype)
                self.assertEqual(self.replay(config, wrong), 1)
        with self.subTest("seed"), mock.patch(f"{__name__}.SEEDS", [3, 5]):
            self.assertEqual(self.replay(config, tensors), 1)

    def test_crops_and_flips_as_the_definition_says(self):
        random = np.random.default_rng(7)
        images = random.integers(256, size=(12, 3, 32, 32)).astype(np.uint8)
        crop, flip = random.integers(9, size=(12, 2)), random.integers(2, size=12)
        found = replay_pytorch.crop_and_flip(*map(torch.tensor, (images, crop, flip))).numpy()
        for image, (y, x), mirrored, result in zip(images, crop, flip, found):
            cut = np.pad(image, ((0, 0), (4, 4), (4, 4)))[:, y:y + 32, x:x + 32]
            np.testing.assert_array_equal(result, cut[:, :, ::-1] if mirrored else cut)


if __name__ == "__main__":
    unittest.main()
