"""A masked network of one seed in PyTorch, with its optimiser, for the methods of the study.

Every layer keeps its full width, and masks multiply the outputs. After each update, the incoming row, bias, outgoing
column and optimiser state of inactive units are restored.

Layers are numbered from 0; layer l's parameters are weight[l] (units, inputs) and bias[l], and the last layer gives the
logits. Random numbers come from streams.py.
"""

import gzip
import math
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

import streams

FOLDER = Path("/usr/share/datasets/fashion-mnist")  # of Debian's package dataset-fashion-mnist
CLASSES = 10

DEFAULTS = {
    "method": "dense", "masks": "all", "compactness": "0.2", "seed_fraction": "0.1", "grow_score": "activation",
    "tau": "0.05", "intervention": "none", "two_speed_r": "5", "two_speed_steps": "1955", "net2wider_eps": "1e-3",
    "activation": "relu", "rsl_c": "0.8", "rsl_p": "1", "rsl_lower": "0.3", "rsl_upper": "0.6", "leaky_alpha": "0.1",
    "init": "kaiming_relu", "optimizer": "sgd", "momentum": "0", "weight_decay": "0", "lr_schedule": "cosine",
    "t_max": "200", "rewind_to": "init", "rewind_epoch": "0", "rewind_scope": "all", "rewind_opt": "yes",
    "rewind_when_k0": "yes", "first_edit": "after_first_cycle", "ticket": "yes", "wt_init": "original",
}


class Settings:
    """The configuration of a run: keys and values of `cambium train`, with its defaults for Fashion-MNIST."""

    def __init__(self, config: dict[str, str]):
        self.text = DEFAULTS | config
        self.jitter = 0  # if not 0: seed of rounding errors that are added to the initial weights
        assert self.text["data"] == "fashion-mnist"
        self.text.setdefault("lr", "0.001" if self.text["optimizer"] == "adam" else "0.01")
        self.text.setdefault("lr_mode", "global" if self.text["method"] == "dense" else "restart")
        hidden = [int(width) for width in self.text["hidden"].split(",")]
        self.widths = [784, *(hidden * 2 if len(hidden) == 1 else hidden), CLASSES]
        self.hidden_layers = len(self.widths) - 2
        self.cycles, self.epochs_per_cycle = int(self.text["cycles"]), int(self.text["epochs_per_cycle"])
        self.batch = int(self.text["batch"])
        self.interventions = set(self.text["intervention"].split(","))
        first, _, last = self.text["seeds"].partition("..")
        self.seeds = list(range(int(first), int(last) + 1)) if last else [int(seed) for seed in first.split(",")]

    def __getitem__(self, key: str) -> str:
        return self.text[key]

    def number(self, key: str) -> float:
        return float(self.text[key])

    def yes(self, key: str) -> bool:
        return self.text[key] == "yes"

    def rate(self, epoch: int) -> float:
        """Learning rate of an epoch of the schedule."""
        if self["lr_schedule"] == "constant":
            return self.number("lr")
        return self.number("lr") * (1 + math.cos(math.pi * epoch / self.number("t_max"))) / 2

    def targets(self) -> list[int]:
        """Target number of active units of each hidden layer, with the neutral schedule."""
        units = []
        for inputs, width in zip(self.widths, self.widths[1:-1]):
            share = self.number("compactness") * width * inputs  # in proportion to the layer's weights
            units.append(min(max(round_half_up(share / inputs), 1), width))
        return units


def round_half_up(value: float) -> int:
    return math.floor(value + 0.5 + 1e-9)


@dataclass
class Images:
    """Pixels (images, 784) as bytes, and labels."""
    train: Tensor
    train_labels: Tensor
    test: Tensor
    test_labels: Tensor


def read_images(folder: Path = FOLDER) -> Images:
    """Fashion-MNIST in file order."""
    def read(name: str, header: int) -> Tensor:
        with gzip.open(folder / f"{name}.gz") as file:
            return torch.from_numpy(np.frombuffer(file.read(), np.uint8, offset=header).copy())

    return Images(*(values for part in ("train", "t10k") for values in (
        read(f"{part}-images-idx3-ubyte", 16).view(-1, 784), read(f"{part}-labels-idx1-ubyte", 8).long())))


@dataclass
class Pass:
    """One forward pass: by hidden layer the pre-activation z, phi(z), and phi(z) times the mask; then the logits."""
    images: Tensor
    z: list[Tensor] = field(default_factory=list)
    raw: list[Tensor] = field(default_factory=list)
    h: list[Tensor] = field(default_factory=list)
    logits: Tensor | None = None


class Network:
    """Parameters, masks and optimiser of one seed."""

    def __init__(self, settings: Settings, seed: int, dtype: torch.dtype, masks: list[Tensor], redraw: int = 0):
        self.settings, self.seed, self.dtype = settings, seed, dtype
        self.masks = [mask.to(dtype, copy=True) for mask in masks]
        self.weight, self.bias = [], []
        stock = settings["init"] == "kaiming_stock"
        for l, (inputs, units) in enumerate(zip(settings.widths, settings.widths[1:])):
            bound = math.sqrt((1 if stock else 6) / inputs)
            weight = streams.initial_values((units, inputs), bound, seed, 2 * l, redraw)
            bias = np.zeros(units, np.float32)
            if stock:
                bias = streams.initial_values((units,), bound, seed, 2 * l + 1, redraw)
            if settings.jitter:
                weight *= np.random.default_rng(settings.jitter).uniform(1 - 1e-7, 1 + 1e-7, weight.shape)
            self.weight.append(torch.from_numpy(weight).to(dtype).requires_grad_())
            self.bias.append(torch.from_numpy(bias).to(dtype).requires_grad_())
        self.steps = 0
        # By hidden layer and unit: the step of birth; a large negative number for initial units.
        self.birth = [torch.full((width,), -10**9) for width in settings.widths[1:-1]]
        self.optimizer = self.new_optimizer()

    def new_optimizer(self) -> torch.optim.Optimizer:
        decay, momentum = self.settings.number("weight_decay"), self.settings.number("momentum")
        if self.settings["optimizer"] == "adam":
            return torch.optim.Adam(self.parameters(), weight_decay=decay)
        return torch.optim.SGD(self.parameters(), momentum=momentum, weight_decay=decay)

    def parameters(self) -> list[Tensor]:
        return [parameter for pair in zip(self.weight, self.bias) for parameter in pair]

    def values(self) -> list[Tensor]:
        return [parameter.detach().clone() for parameter in self.parameters()]

    def active(self) -> list[list[int]]:
        return [mask.nonzero().flatten().tolist() for mask in self.masks]

    def inputs(self, pixels: Tensor) -> Tensor:
        return pixels.to(self.dtype) / 255

    def phi(self, z: Tensor, layer: int, training: bool) -> Tensor:
        settings = self.settings
        if settings["activation"] == "relu":
            return functional.relu(z)
        if settings["activation"] == "smooth_leaky":
            slope = settings.number("leaky_alpha")
        else:
            lower, upper = settings.number("rsl_lower"), settings.number("rsl_upper")
            slope = (lower + upper) / 2
            if training:
                slope = torch.from_numpy(streams.slopes(*z.shape, self.seed, layer, self.steps, lower, upper)).to(z)
        k = settings.number("rsl_c") / settings.number("rsl_p")
        return slope * z + (1 - slope) * z * torch.sigmoid(k * z)

    def forward(self, images: Tensor, training: bool = False) -> Pass:
        result = Pass(images)
        h = images
        for l, mask in enumerate(self.masks):
            result.z.append(functional.linear(h, self.weight[l], self.bias[l]))
            result.raw.append(self.phi(result.z[-1], l, training))
            h = result.raw[-1] * mask
            result.h.append(h)
        result.logits = functional.linear(h, self.weight[-1], self.bias[-1])
        return result

    def of_units(self, units: list[Tensor]) -> list[Tensor]:
        """By parameter: true in the slices of those units (one boolean tensor for each hidden layer)."""
        marked = [torch.zeros_like(parameter, dtype=torch.bool) for parameter in self.parameters()]
        for l, chosen in enumerate(units):
            marked[2 * l][chosen, :] = True
            marked[2 * l + 1][chosen] = True
            marked[2 * l + 2][:, chosen] = True
        return marked

    def buffers(self) -> list[dict[str, Tensor]]:
        """By parameter: the optimiser's tensors of the parameter's shape."""
        return [{key: value for key, value in self.optimizer.state.get(parameter, {}).items()
                 if isinstance(value, Tensor) and value.shape == parameter.shape} for parameter in self.parameters()]

    def step(self, pixels: Tensor, labels: Tensor, rate: float) -> tuple[float, int]:
        """Makes one update; returns the summed loss and the number of correct predictions before it."""
        logits = self.forward(self.inputs(pixels), training=True).logits
        loss = functional.cross_entropy(logits, labels)
        self.optimizer.zero_grad()
        loss.backward()
        before = self.values()
        buffers_before = [{key: value.clone() for key, value in own.items()} for own in self.buffers()]
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.keep_frozen(before, buffers_before)
        self.two_speed(before)
        self.steps += 1
        return loss.item() * len(labels), int((logits.argmax(1) == labels).sum())

    def keep_frozen(self, before: list[Tensor], buffers_before: list[dict[str, Tensor]]) -> None:
        frozen = self.of_units([mask == 0 for mask in self.masks])
        for parameter, marked, value, own, own_before in zip(self.parameters(), frozen, before, self.buffers(),
                                                            buffers_before):
            parameter.data[marked] = value[marked]
            for key, buffer in own.items():
                buffer[marked] = own_before[key][marked] if key in own_before else 0

    def two_speed(self, before: list[Tensor]) -> None:
        ratio = self.settings.number("two_speed_r")
        if "two_speed" not in self.settings.interventions or ratio == 1:
            return
        window = int(self.settings["two_speed_steps"])
        in_window = self.of_units([self.steps - birth < window for birth in self.birth])
        for parameter, marked, value in zip(self.parameters(), in_window, before):
            parameter.data[marked] = value[marked] + ratio * (parameter.data[marked] - value[marked])

    def evaluate(self, images: Tensor, labels: Tensor) -> tuple[float, int]:
        """Mean loss and number of correct predictions."""
        with torch.no_grad():
            logits = self.forward(self.inputs(images)).logits
            return functional.cross_entropy(logits, labels).item(), int((logits.argmax(1) == labels).sum())


@dataclass
class Signals:
    """Signals of one hidden layer on a batch, (rows, units) each; per-sample gradients with all masks set to 1."""
    raw: Tensor
    gradient: Tensor  # for the pre-activation: dL_x/dh * phi'(z)
    h_before: Tensor  # masked outputs of the previous layer
    gradient_next: Tensor  # ordinary gradient for the pre-activations of the next layer


def observe(network: Network, pixels: Tensor, labels: Tensor) -> list[Signals]:
    """Signals of every hidden layer on one batch; does not change the network."""
    seen = network.forward(network.inputs(pixels))
    loss = functional.cross_entropy(seen.logits, labels, reduction="sum")
    by_h = torch.autograd.grad(loss, seen.h, retain_graph=True)
    by_z = torch.autograd.grad(loss, [*seen.z[1:], seen.logits])
    slope = [derivative(network, z.detach(), l) for l, z in enumerate(seen.z)]
    before = [seen.images, *seen.h]
    return [Signals(seen.raw[l].detach(), by_h[l] * slope[l], before[l].detach(), by_z[l])
            for l in range(len(seen.z))]


def derivative(network: Network, z: Tensor, layer: int) -> Tensor:
    """phi'(z) in evaluation mode."""
    z = z.requires_grad_()
    return torch.autograd.grad(network.phi(z, layer, training=False).sum(), z)[0]
