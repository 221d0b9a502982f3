"""Trains again in PyTorch what a Cambium trace recorded, and says how far the two are apart.

    build/peers/bin/python bench/replay_pytorch.py TRACE [--data-dir DIR] [--tolerance 1e-4]

A trace (safetensors) holds R replicas' initial and final parameters, masks, the images of every batch with their crops
and flips, learning rates and losses. Exit codes: 0 within the tolerance, 1 not, 2 wrong input. Needs: make peers.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from torch.nn import functional

from random_slopes import random_slopes
from training_images import STATISTICS, read_training_set

PADDING = 4  # on each side of an image before it is cropped


class Trace:
    def __init__(self, path: Path):
        with safe_open(path, "pt") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != "cambium-trace-1":
                raise ValueError(f"{path} is no Cambium trace: its format is {metadata.get('format')}, "
                                 "not cambium-trace-1")
            self.tensors = {name: file.get_tensor(name) for name in file.keys()}
        self.config = json.loads(metadata["config"])
        self.seeds = json.loads(metadata["seeds"])

    def group(self, prefix: str, replica: int) -> dict[str, torch.Tensor]:
        """The tensors of one replica whose names start with `prefix`, without it."""
        return {name.removeprefix(prefix): tensor[replica] for name, tensor in self.tensors.items()
                if name.startswith(prefix)}


class TrainingSet:
    """Batches as the trace's configuration prepares them."""

    def __init__(self, config: dict, directory: Path):
        images, labels = read_training_set(config["data"], directory)
        self.images, self.labels = torch.tensor(images), torch.tensor(labels, dtype=torch.int64)
        self.statistics = None
        if config["pixels"] == "standardised":
            self.statistics = [torch.tensor(values).view(-1, 1, 1) for values in STATISTICS[config["data"]]]

    def batch(self, indices: torch.Tensor, crop: torch.Tensor | None, flip: torch.Tensor | None):
        if indices.max() >= len(self.images):
            raise ValueError(f"the trace uses image {indices.max()}, but only {len(self.images)} were found")
        images = self.images[indices]
        if crop is not None:
            images = crop_and_flip(images, crop, flip)
        images = images.float() / 255
        if self.statistics:
            mean, deviation = self.statistics
            images = (images - mean) / deviation
        return images, self.labels[indices]


def crop_and_flip(images: torch.Tensor, crop: torch.Tensor, flip: torch.Tensor) -> torch.Tensor:
    """Images (B, C, H, W), zero-padded, cut at their (dy, dx) in crop (B, 2), then mirrored where flip (B) says so."""
    count, channels, height, width = images.shape
    padded = functional.pad(images, [PADDING] * 4)
    across = torch.arange(width).expand(count, width)
    across = torch.where(flip.bool()[:, None], across.flip(1), across)
    rows = crop[:, :1] + torch.arange(height)
    columns = crop[:, 1:] + across
    return padded[torch.arange(count)[:, None, None, None], torch.arange(channels)[:, None, None],
                  rows[:, None, :, None], columns[:, None, None, :]]


class Activation:
    def __init__(self, config: dict, seed: int):
        self.config, self.seed = config, seed

    def __call__(self, z: torch.Tensor, layer: int, step: int) -> torch.Tensor:
        kind = self.config["activation"]
        if kind == "relu":
            return functional.relu(z)
        if kind == "smooth_leaky":
            slope = self.config["leaky_alpha"]
        elif kind == "rsl":
            slope = torch.from_numpy(random_slopes(tuple(z.shape), self.seed, layer, step, self.config["rsl_lower"],
                                                   self.config["rsl_upper"]))
        else:
            raise ValueError(f"unknown activation {kind!r}")
        return slope * z + (1 - slope) * z * torch.sigmoid(self.config["rsl_c"] / self.config["rsl_p"] * z)


def forward(parameters: dict, masks: dict, phi: Activation, images: torch.Tensor, step: int) -> torch.Tensor:
    """Logits: any convolutions with their pools first, then the fully connected layers; the last has no activation."""
    *hidden, output = sorted({name.split(".")[0] for name in parameters})  # conv1, conv2, fc1, fc2, ...
    h = images
    for layer, name in enumerate(hidden):
        weight, bias = parameters[f"{name}.weight"], parameters[f"{name}.bias"]
        if name.startswith("conv"):
            h = functional.max_pool2d(phi(functional.conv2d(h, weight, bias, padding=1), layer, step), 2)
        else:
            h = phi(functional.linear(h.flatten(1), weight, bias), layer, step)
            if name in masks:
                h = h * masks[name]
    return functional.linear(h.flatten(1), parameters[f"{output}.weight"], parameters[f"{output}.bias"])


def belongs_to_inactive_unit(parameters: dict, masks: dict) -> dict[str, torch.Tensor]:
    """By parameter: true in the incoming rows, biases and outgoing columns of inactive units."""
    frozen = {name: torch.zeros_like(parameter, dtype=torch.bool) for name, parameter in parameters.items()}
    for name, mask in masks.items():
        inactive = mask == 0
        consumer = f"fc{int(name.removeprefix('fc')) + 1}"
        frozen[f"{name}.weight"][inactive, :] = True
        frozen[f"{name}.bias"][inactive] = True
        frozen[f"{consumer}.weight"][:, inactive] = True
    return frozen


def make_optimizer(parameters, config: dict) -> torch.optim.Optimizer:
    decay = config.get("weight_decay", 0)
    if config["optimizer"] == "adam":
        return torch.optim.Adam(parameters, weight_decay=decay)
    if config["optimizer"] == "sgd":
        return torch.optim.SGD(parameters, momentum=config.get("momentum", 0), weight_decay=decay)
    raise ValueError(f"unknown optimizer {config['optimizer']!r}")


def replay(trace: Trace, training_set: TrainingSet, replica: int) -> tuple[np.ndarray, dict[str, torch.Tensor]]:
    """The losses (steps) and final parameters that PyTorch comes to."""
    initial = trace.group("init.", replica)
    parameters = {name: tensor.clone().requires_grad_() for name, tensor in initial.items()}
    masks = {name: mask.float() for name, mask in trace.group("mask.init.", replica).items()}
    frozen = belongs_to_inactive_unit(initial, masks)
    phi = Activation(trace.config, trace.seeds[replica])
    optimizer = make_optimizer(parameters.values(), trace.config)
    losses = []
    for step, indices in enumerate(trace.tensors["batches"][replica]):
        count = int((indices >= 0).sum())  # the rest is padding
        crop = flip = None
        if trace.config.get("augment", False):
            crop, flip = (trace.tensors[name][replica, step, :count] for name in ("crop", "flip"))
        images, labels = training_set.batch(indices[:count], crop, flip)
        loss = functional.cross_entropy(forward(parameters, masks, phi, images, step), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.param_groups[0]["lr"] = trace.tensors["lr"][step].item()
        optimizer.step()
        if trace.config.get("weight_decay", 0):  # the only thing that would move an inactive unit's parameters
            for name, parameter in parameters.items():
                parameter.data[frozen[name]] = initial[name][frozen[name]]
        losses.append(loss.item())
    return np.array(losses), {name: parameter.detach() for name, parameter in parameters.items()}


def compare(trace: Trace, training_set: TrainingSet) -> tuple[float, float]:
    """Prints each replica's deviations, and returns the largest of a loss and of a parameter."""
    largest_loss, largest_parameter = 0.0, 0.0
    for replica, seed in enumerate(trace.seeds):
        losses, parameters = replay(trace, training_set, replica)
        recorded = trace.tensors["loss"][replica].double().numpy()
        difference = np.abs(losses - recorded)
        step = int(difference.argmax())
        print(f"seed {seed}, {len(losses)} steps")
        print(f"  {'loss':<14} {difference[step]:.1e} absolute, {difference[step] / abs(recorded[step]):.1e} relative, "
              f"at step {step}")
        largest_loss = np.maximum(largest_loss, difference[step])  # keeps a NaN, as max() would not
        for name, value in trace.group("final.", replica).items():
            deviation = (parameters[name] - value).abs().max().item()
            scale = value.abs().max().item() or 1.0
            print(f"  {name:<14} {deviation:.1e} absolute, {deviation / scale:.1e} relative to its largest")
            largest_parameter = np.maximum(largest_parameter, deviation)
    return float(largest_loss), float(largest_parameter)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", type=Path)
    parser.add_argument("--data-dir", type=Path, default=Path("data"), help="folder of the data sets' folders (data)")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="largest absolute deviation allowed (1e-4)")
    arguments = parser.parse_args()
    try:
        trace = Trace(arguments.trace)
        loss, parameter = compare(trace, TrainingSet(trace.config, arguments.data_dir))
    except (OSError, ValueError, SafetensorError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyError as error:
        print(f"{arguments.trace}: {error} is missing", file=sys.stderr)
        return 2
    within = loss <= arguments.tolerance and parameter <= arguments.tolerance
    print(f"largest deviation: loss {loss:.1e}, parameters {parameter:.1e}; "
          f"{'within' if within else 'NOT within'} {arguments.tolerance:g}")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
