"""Tests bench/replay_pytorch.py with traces of trainers that share nothing with it.

Where nothing is edited: numpy, gradients by hand. For runs that grow or prune: the reference of tests/golden.

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

sys.path[:0] = [str(Path(__file__).parents[1] / "golden"), str(Path(__file__).parents[2] / "bench")]
import edits
import replay_pytorch
import streams
from network import Images, Network, Settings
from study import first_masks

IMAGES, STEPS, BATCH, HIDDEN, CLASSES, SEEDS = 40, 6, 8, 9, 10, [3, 4]
CONFIG = {"stream": "mnist", "network": "mlp", "hidden": HIDDEN, "leaky_alpha": 0.1, "rsl_c": 2.0, "rsl_p": 0.8,
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


EDITED = {"stream": "fashion-mnist", "hidden": "9,7", "batch": str(BATCH), "cycles": "4", "epochs_per_cycle": "2",
          "compactness": "0.7", "lr": "0.02", "seeds": ",".join(map(str, SEEDS)), "activation": "smooth_leaky"}
GROW = EDITED | {"method": "grow", "seed_fraction": "0.25"}
PRUNE = EDITED | {"method": "prune", "compactness": "0.3"}
ADAM = {"optimizer": "adam", "lr": "0.002"}
EDITED_CASES = {
    **{f"grow by {rule}": GROW | {"grow_score": rule}
       for rule in ("activation", "gradient", "gradmax", "random", "magnitude")},
    "rsl, an edit before the first cycle": GROW | {"activation": "rsl", "first_edit": "before_first_cycle"},
    "two speeds across events, with decay": GROW | {"intervention": "two_speed", "two_speed_r": "3",
                                                    "two_speed_steps": "13", "momentum": "0.5", "weight_decay": "0.01"},
    "everything at once": GROW | ADAM | {"intervention": "net2wider,moment_transplant,two_speed",
                                         "net2wider_eps": "0.1", "two_speed_r": "2", "two_speed_steps": "4"},
    "copies without noise": GROW | {"intervention": "net2wider", "net2wider_eps": "0", "momentum": "0.5"},
    "prune": PRUNE | {"momentum": "0.5"},
    "hidden layers rewound": PRUNE | ADAM | {"rewind_scope": "masked"},
    "snapshot": PRUNE | ADAM | {"rewind_to": "snapshot", "rewind_epoch": "1", "rewind_opt": "no"},
    "no rewind, with decay": PRUNE | {"rewind_to": "none", "weight_decay": "0.01", "momentum": "0.5"},
    "nothing left to prune": PRUNE | {"compactness": "0.9", "rewind_when_k0": "no", "momentum": "0.5"},
    "fresh ticket": PRUNE | {"wt_init": "fresh"},
}


def run_edited(settings, seed, images):
    """One replica's part of a trace of GROW or PRUNE, with its ticket."""
    network = Network(settings, seed, torch.float64, first_masks(settings, seed))
    trace, epochs = parameters_of(network, "init."), settings.cycles * settings.epochs_per_cycle
    rewind_to, event_steps, batches = network.values(), [], []
    trace |= {f"mask.init.fc{l + 1}": mask.numpy().astype(np.uint8) for l, mask in enumerate(network.masks)}
    losses, first_event = [], 0 if settings["first_edit"] == "before_first_cycle" else 1

    def train_epoch(trained, epoch, losses):
        for rows in torch.from_numpy(streams.epoch_order(IMAGES, seed, epoch)).split(BATCH):
            rate = np.float32(settings.rate(epoch)).item()
            loss, _ = trained.step(images.train[rows], images.train_labels[rows], rate)
            losses.append(loss / len(rows))
            batches.append(np.pad(rows.numpy(), (0, BATCH - len(rows)), constant_values=-1))

    for epoch in range(epochs):
        event, inside = divmod(epoch, settings.epochs_per_cycle)
        if inside == 0 and event >= first_event:
            event_steps.append((event, network.steps))
            if settings["method"] == "grow":
                trace[f"score.{event}"] = streams.scoring_batch(IMAGES, BATCH, seed, event).astype(np.int32)
                edit = edits.grow(network, images, event)
            else:
                edit = edits.prune(network, event)
                edits.rewind(network, rewind_to, edit)
            trace |= recorded(settings, seed, network, edit)
        train_epoch(network, epoch, losses)
        if epoch + 1 == int(settings["rewind_epoch"]) and settings["rewind_to"] == "snapshot":
            rewind_to = network.values()
    trace |= parameters_of(network, "final.") | {"loss": np.float32(losses), "batches": np.int32(batches)}
    ticket = Network(settings, seed, torch.float64, network.masks, redraw=1 if settings["wt_init"] == "fresh" else 0)
    trace |= parameters_of(ticket, "ticket.init.")
    ticket_losses = []
    for epoch in range(epochs):
        train_epoch(ticket, epoch, ticket_losses)
    trace |= parameters_of(ticket, "ticket.final.") | {"ticket.loss": np.float32(ticket_losses)}
    return trace, np.array(event_steps, np.int64)


def parameters_of(network, prefix):
    return {f"{prefix}fc{i // 2 + 1}.{('weight', 'bias')[i % 2]}": value.numpy().astype(np.float32)
            for i, value in enumerate(network.values())}


def recorded(settings, seed, network, edit):
    """What a trace holds of an event."""
    trace = {}
    for l, (mask, newborns) in enumerate(zip(network.masks, edit.chosen)):
        place = f"{edit.event}.fc{l + 1}"
        trace[f"mask.{place}"] = mask.numpy().astype(np.uint8)
        for name, donors in ("donor", edit.donors), ("moment_donor", edit.moment_donors):
            if donors:
                trace[f"{name}.{place}"] = np.full(len(mask), -1, np.int32)
                trace[f"{name}.{place}"][newborns] = donors[l]
        if edit.donors and settings.number("net2wider_eps") > 0:
            trace[f"noise.{place}"] = np.float32([streams.normal_row(settings.widths[l], seed, unit, l, edit.event)
                                                  for unit in newborns]).reshape(-1, settings.widths[l])
    return trace


def as_json(settings):
    """A configuration as a trace's metadata has it."""
    config = {}
    for key, text in settings.text.items():
        try:
            config[key] = {"yes": True, "no": False}[text] if text in ("yes", "no") else json.loads(text)
        except json.JSONDecodeError:
            config[key] = text
    return config | {"stream": "mnist", "pixels": "unit", "epochs": settings.cycles * settings.epochs_per_cycle}


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

    def edited_trace(self, given):
        settings = Settings(given)
        pixels, labels = map(torch.from_numpy, (self.images.reshape(IMAGES, -1), self.labels.astype(np.int64)))
        images = Images(pixels, labels, None, None)
        replicas = [run_edited(settings, seed, images) for seed in SEEDS]
        tensors = {name: np.stack([replica[name] for replica, _ in replicas]) for name in replicas[0][0]}
        steps_each = tensors["loss"].shape[1] // (settings.cycles * settings.epochs_per_cycle)
        rates = np.float32([settings.rate(step // steps_each) for step in range(tensors["loss"].shape[1])])
        tensors |= {"lr": rates, "ticket.lr": rates, "event.number": replicas[0][1][:, 0].copy(),
                    "event.step": replicas[0][1][:, 1].copy()}
        return as_json(settings), tensors

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

    def test_agrees_with_the_reference_on_runs_that_grow_and_prune(self):
        for name, given in EDITED_CASES.items():
            with self.subTest(name):
                self.assertEqual(self.replay(*self.edited_trace(given)), 0)

    def test_finds_wrong_choices_rewinds_and_numbers_of_edited_runs(self):
        config, tensors = self.edited_trace(EDITED_CASES["everything at once"])
        newborn = int((tensors["donor.2.fc1"][1] >= 0).argmax())
        for name, index, change in (("donor.2.fc1", (1, newborn), 1), ("noise.1.fc2", (0, 0, 3), 0.1),
                                    ("moment_donor.2.fc1", (1, newborn), 1), ("event.step", 1, 1),
                                    ("ticket.loss", (1, 3), 1e-4), ("ticket.final.fc3.bias", (1, 4), 1e-3)):
            with self.subTest(name):
                wrong = {key: value.copy() for key, value in tensors.items()}
                wrong[name][index] += np.array(change).astype(wrong[name].dtype)
                self.assertEqual(self.replay(config, wrong), 1)
        for key, value in (("two_speed_r", 2.5), ("two_speed_steps", 5), ("net2wider_eps", 0.11),
                           ("grow_score", "magnitude")):
            with self.subTest(key):
                self.assertEqual(self.replay(config | {key: value}, tensors), 1)
        config, tensors = self.edited_trace(EDITED_CASES["snapshot"])
        for key, value in ("rewind_to", "init"), ("rewind_epoch", 2), ("rewind_opt", True), ("rewind_scope", "masked"):
            with self.subTest(key):
                self.assertEqual(self.replay(config | {key: value}, tensors), 1)
        config, tensors = self.edited_trace(EDITED_CASES["nothing left to prune"])
        with self.subTest("rewind_when_k0"):
            self.assertEqual(self.replay(config | {"rewind_when_k0": True}, tensors), 1)

    def test_crops_and_flips_as_the_definition_says(self):
        random = np.random.default_rng(7)
        images = random.integers(256, size=(12, 3, 32, 32)).astype(np.uint8)
        crop, flip = random.integers(9, size=(12, 2)), random.integers(2, size=12)
        found = replay_pytorch.crop_and_flip(*map(torch.tensor, (images, crop, flip))).numpy()
        for image, (y, x), mirrored, result in zip(images, crop, flip, found):
            cut = np.pad(image, ((0, 0), (4, 4), (4, 4)))[:, y:y + 32, x:x + 32]
            np.testing.assert_array_equal(result, cut[:, :, ::-1] if mirrored else cut)


if __name__ == "__main__":
    torch.set_num_threads(1)  # the networks are tiny
    unittest.main()
