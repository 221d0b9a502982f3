"""A training step in ordinary PyTorch: eager, with multiplied masks and unmodified torch.optim."""

import itertools
from functools import cache

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from peer_work import LEARNING_RATES, Case, make_replica, training_set


class Network(nn.Module):
    """Both networks: convolutions, if any, then fully connected layers; masks, if any, multiply the hidden ones."""

    def __init__(self, parameters: dict[str, torch.Tensor], masks: dict[str, torch.Tensor]):
        super().__init__()
        self.convolutions = nn.ModuleList()
        self.linear = nn.ModuleList()
        for name in sorted({name.split(".")[0] for name in parameters}):  # conv1, conv2, fc1, fc2, ...
            (units, inputs), precision = parameters[f"{name}.weight"].shape[:2], parameters[f"{name}.weight"].dtype
            if name.startswith("conv"):
                layer = nn.Conv2d(inputs, units, kernel_size=3, padding=1, dtype=precision)
                self.convolutions.append(layer)
            else:
                layer = nn.Linear(inputs, units, dtype=precision)
                self.linear.append(layer)
            layer.load_state_dict({kind: parameters[f"{name}.{kind}"] for kind in ("weight", "bias")})
        self.masks = [masks.get(f"fc{i + 1}") for i in range(len(self.linear) - 1)]

    def forward(self, h: torch.Tensor) -> torch.Tensor:
        for convolution in self.convolutions:
            h = functional.max_pool2d(functional.relu(convolution(h)), 2)
        h = h.flatten(1)
        for layer, mask in zip(self.linear, self.masks):
            h = functional.relu(layer(h))
            if mask is not None:
                h = h * mask
        return self.linear[-1](h)


class PyTorchTraining:
    """Trains one replica. Several replicas would run one after another, with the same time per replica and step."""

    replicas = 1

    def __init__(self, case: Case, replica: int = 0, precision: type = np.float32):
        start = make_replica(case, replica, precision)
        self.images, self.labels = tensors_of(case.network, precision)
        self.network = Network({name: torch.from_numpy(value) for name, value in start.parameters.items()},
                               {name: torch.from_numpy(value) for name, value in start.masks.items()})
        optimizer = {"sgd": torch.optim.SGD, "adam": torch.optim.Adam}[case.optimizer]
        self.optimizer = optimizer(self.network.parameters(), lr=LEARNING_RATES[case.optimizer])
        self.batches = itertools.cycle(torch.from_numpy(start.batches).unbind())

    def step(self) -> torch.Tensor:
        indices = next(self.batches)
        images, labels = self.images.index_select(0, indices), self.labels.index_select(0, indices)
        loss = functional.cross_entropy(self.network(images), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss

    def run(self, steps: int):
        for _ in range(steps):
            self.step()

    def losses(self, steps: int) -> list[float]:
        return [self.step().item() for _ in range(steps)]


@cache
def tensors_of(network: str, precision: type) -> tuple[torch.Tensor, torch.Tensor]:
    images, labels = training_set(network, precision)
    return torch.from_numpy(images), torch.from_numpy(labels)
