"""Replays a Cambium trace in PyTorch and prints the deviations.

    build/peers/bin/python bench/replay_pytorch.py TRACE [--data-dir DIR] [--tolerance 1e-4]

A trace (safetensors) holds R replicas' initial and final parameters, masks, the images of every batch with their crops
and flips, learning rates and losses; for runs that grow or prune also the choices of each event, and the ticket. The
replay applies the recorded edits and counts the choices that it would have made differently.
Exit codes: 0 within the tolerance, 1 not, 2 wrong input. Needs: make peers.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from torch.nn import functional

from replay_edits import Choices, Event, grow, prune
from replay_network import Network
from training_images import STATISTICS, read_training_set

PADDING = 4  # on each side of an image before it is cropped
# Streams whose name is not that of their data set.
DATA_SETS = {"split-mnist": "mnist", "split-fashion": "fashion-mnist", "split-cifar100": "cifar-100"}


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
    """Batches, prepared according to the configuration of the trace."""

    def __init__(self, config: dict, directory: Path):
        data = DATA_SETS.get(config["stream"], config["stream"])
        images, labels = read_training_set(data, directory)
        self.images, self.labels = torch.tensor(images), torch.tensor(labels, dtype=torch.int64)
        self.statistics = None
        if config["pixels"] == "standardised":
            self.statistics = [torch.tensor(values).view(-1, 1, 1) for values in STATISTICS[data]]

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


def batch_at(trace: Trace, training_set: TrainingSet, replica: int, step: int) -> tuple[torch.Tensor, torch.Tensor]:
    indices = trace.tensors["batches"][replica, step]
    count = int((indices >= 0).sum())  # the rest is padding
    crop = flip = None
    if trace.config.get("augment", False):
        crop, flip = (trace.tensors[name][replica, step, :count] for name in ("crop", "flip"))
    return training_set.batch(indices[:count], crop, flip)


def event_at(trace: Trace, training_set: TrainingSet, replica: int, index: int) -> Event:
    number = int(trace.tensors["event.number"][index])
    images = labels = None
    if f"score.{number}" in trace.tensors:
        images, labels = training_set.batch(trace.tensors[f"score.{number}"][replica], None, None)
    return Event(number, int(trace.tensors["event.step"][index]), masks(trace, f"mask.{number}.", replica), images,
                 labels, *(trace.group(f"{kind}.{number}.", replica) for kind in ("donor", "noise", "moment_donor")))


def masks(trace: Trace, prefix: str, replica: int) -> dict[str, torch.Tensor]:
    return {name: mask.float() for name, mask in trace.group(prefix, replica).items()}


def replay(trace: Trace, training_set: TrainingSet, replica: int) -> tuple[np.ndarray, Network, Choices]:
    """Returns PyTorch's losses (steps), its network and its choices."""
    config, seed = trace.config, trace.seeds[replica]
    network = Network(config, seed, trace.group("init.", replica), masks(trace, "mask.init.", replica))
    losses, choices, rewind_to = [], Choices(), trace.group("init.", replica)
    steps, snapshot = trace.tensors["batches"].shape[1], 0
    if config.get("rewind_to") == "snapshot":
        snapshot = config["rewind_epoch"] * (steps // config["epochs"])
    events = {int(step): index for index, step in enumerate(trace.tensors.get("event.step", []))}
    for step in range(steps):
        if step > 0 and step == snapshot:
            rewind_to = {name: parameter.detach().clone() for name, parameter in network.parameters.items()}
        if step in events:
            event = event_at(trace, training_set, replica, events[step])
            if config["method"] == "grow":
                grow(network, event, seed, choices)
            else:
                prune(network, event, rewind_to, choices)
        images, labels = batch_at(trace, training_set, replica, step)
        losses.append(network.step(images, labels, trace.tensors["lr"][step].item(), step))
    return np.array(losses), network, choices


def replay_ticket(trace: Trace, training_set: TrainingSet, replica: int, final: dict) -> tuple[np.ndarray, Network]:
    """Replays the ticket: the batches of the run with its final masks, without edits."""
    network = Network(trace.config, trace.seeds[replica], trace.group("ticket.init.", replica), final)
    losses = [network.step(*batch_at(trace, training_set, replica, step), rate.item(), step)
              for step, rate in enumerate(trace.tensors["ticket.lr"])]
    return np.array(losses), network


class Deviations:
    """Prints deviations and keeps the largest."""

    def __init__(self):
        self.loss, self.parameter, self.choices = 0.0, 0.0, Choices()

    def compare(self, trace: Trace, replica: int, prefix: str, losses: np.ndarray, network: Network) -> None:
        recorded = trace.tensors[f"{prefix}loss"][replica].double().numpy()
        difference = np.abs(losses - recorded)
        step = int(difference.argmax())
        print(f"  {'loss':<14} {difference[step]:.1e} absolute, {difference[step] / abs(recorded[step]):.1e} relative, "
              f"at step {step}")
        self.loss = float(np.maximum(self.loss, difference[step]))  # keeps a NaN, as max() would not
        for name, value in trace.group(f"{prefix}final.", replica).items():
            deviation = (network.parameters[name].detach() - value).abs().max().item()
            scale = value.abs().max().item() or 1.0
            print(f"  {name:<14} {deviation:.1e} absolute, {deviation / scale:.1e} relative to its largest")
            self.parameter = float(np.maximum(self.parameter, deviation))

    def add_choices(self, choices: Choices) -> None:
        if choices.made:
            print(f"  {choices.different} of {choices.made} choices differ"
                  + (f", by {choices.shortfall:.1e} of the score or less" if choices.different else ""))
        self.choices.made += choices.made
        self.choices.different += choices.different
        self.choices.shortfall = max(self.choices.shortfall, choices.shortfall)


def compare(trace: Trace, training_set: TrainingSet) -> Deviations:
    """Prints each replica's deviations."""
    result = Deviations()
    for replica, seed in enumerate(trace.seeds):
        losses, network, choices = replay(trace, training_set, replica)
        print(f"seed {seed}, {len(losses)} steps")
        result.compare(trace, replica, "", losses, network)
        result.add_choices(choices)
        if "ticket.loss" in trace.tensors:
            losses, network = replay_ticket(trace, training_set, replica, network.masks)
            print(f"seed {seed}, its ticket, {len(losses)} steps")
            result.compare(trace, replica, "ticket.", losses, network)
    return result


def allowed_shortfall(config: dict, tolerance: float) -> float:
    """Allowed shortfall: activation scores count images, and rounding can move one or two across the threshold."""
    counted = config.get("method") == "grow" and config["grow_score"] == "activation"
    return tolerance + (2 / config["batch"] if counted else 0)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("trace", type=Path)
    parser.add_argument("--data-dir", type=Path, default=Path("data"), help="folder of the data sets' folders (data)")
    parser.add_argument("--tolerance", type=float, default=1e-4, help="largest absolute deviation allowed (1e-4)")
    arguments = parser.parse_args()
    try:
        trace = Trace(arguments.trace)
        largest = compare(trace, TrainingSet(trace.config, arguments.data_dir))
    except (OSError, ValueError, SafetensorError) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyError as error:
        print(f"{arguments.trace}: {error} is missing", file=sys.stderr)
        return 2
    within = largest.loss <= arguments.tolerance and largest.parameter <= arguments.tolerance and \
        largest.choices.shortfall <= allowed_shortfall(trace.config, arguments.tolerance)
    choices = largest.choices
    chosen = f", {choices.different} of {choices.made} choices different" if choices.made else ""
    print(f"largest deviation: loss {largest.loss:.1e}, parameters {largest.parameter:.1e}{chosen}; "
          f"{'within' if within else 'NOT within'} {arguments.tolerance:g}")
    return 0 if within else 1


if __name__ == "__main__":
    sys.exit(main())
