"""Computes tests/golden/*.safetensors: results of two small masked networks in PyTorch, in double precision.

    make peers && build/peers/bin/python tests/golden/make_golden.py

Each file holds R = 2 replicas with different weights, data and numbers of active units. The first axis of every tensor
is the replica, except in `input` and `labels`, where it is the step. Names and layouts of parameters are PyTorch's.

    input, labels                    (steps, R, rows, C, H, W), (steps, R, rows)
    init.P, mask.L                   parameter P; mask of the hidden layer L
    PHI.logits, PHI.z.L              first batch: the logits, and the input of each activation
    PHI.gradient.P, PHI.h_gradient.L first batch: gradient of the loss for a parameter, and for h = phi(z) * mask
    PHI.OPTIMISER.loss               loss (steps, R) of each batch before its update
    PHI.OPTIMISER.afterK.P           the parameter after K updates

The incoming row, bias, outgoing column and optimiser state of an inactive unit do not change.
"""

from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn
from torch.nn import functional

REPLICAS = 2
ACTIVATIONS = {
    "relu": functional.relu,
    "smooth_leaky": lambda z: 0.1 * z + (1 - 0.1) * z * torch.sigmoid(2.0 / 0.8 * z),
}
OPTIMISERS = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.1),
    "sgd_momentum": lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=0.01),
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=0.01, weight_decay=0.01),
}
NETWORKS = {
    "mlp": dict(seed=1, image=(1, 4, 3), channels=[], hidden=[8, 7], active=[(5, 6), (4, 3)], rows=6, steps=4),
    "convnet": dict(seed=1, image=(3, 8, 8), channels=[4, 6], hidden=[10, 9, 7], active=[(6, 4), (5, 7), (3, 4)],
                    rows=4, steps=3),
}
CLASSES = 5


class Network(nn.Module):
    """Convolutions (3x3, each followed by phi and a 2x2 max-pool), then fully connected layers, hidden ones masked."""

    def __init__(self, image, channels, hidden):
        super().__init__()
        depth, height, width = image
        self.convolutions = [f"conv{i + 1}" for i in range(len(channels))]
        for name, out in zip(self.convolutions, channels):
            self.add_module(name, nn.Conv2d(depth, out, kernel_size=3, padding=1))
            depth, height, width = out, height // 2, width // 2
        widths = [depth * height * width, *hidden, CLASSES]
        *self.hidden, self.output = [f"fc{i + 1}" for i in range(len(widths) - 1)]
        for name, inputs, units in zip([*self.hidden, self.output], widths, widths[1:]):
            self.add_module(name, nn.Linear(inputs, units))
        self.double()

    def forward(self, h, masks, phi):
        """Returns the logits, and by layer the pre-activations z and the masked outputs h."""
        z, masked = {}, {}
        for name in self.convolutions:
            z[name] = self.get_submodule(name)(h)
            h = functional.max_pool2d(phi(z[name]), 2)
        h = h.flatten(1)
        for name in self.hidden:
            z[name] = self.get_submodule(name)(h)
            h = masked[name] = phi(z[name]) * masks[name]
        return self.get_submodule(self.output)(h), z, masked

    def frozen(self, masks):
        """By parameter: true for the elements of inactive units."""
        frozen = {name: torch.zeros_like(parameter, dtype=torch.bool) for name, parameter in self.named_parameters()}
        for name, consumer in zip(self.hidden, [*self.hidden[1:], self.output]):
            inactive = masks[name] == 0
            frozen[f"{name}.weight"][inactive, :] = True
            frozen[f"{name}.bias"][inactive] = True
            frozen[f"{consumer}.weight"][:, inactive] = True
        return frozen


def draw(network, active, image, rows, steps, random):
    """The input data of one replica, in float32, so that the stored numbers are exactly those of the computation."""
    data = {"input": torch.tensor(random.normal(size=(steps, rows, *image)).astype(np.float32)),
            "labels": torch.tensor(random.integers(CLASSES, size=(steps, rows)).astype(np.int32))}
    for name, parameter in network.named_parameters():
        bound = np.sqrt(6 / max(1, parameter[0].numel())) if name.endswith("weight") else 0.2
        data[f"init.{name}"] = torch.tensor(random.uniform(-bound, bound, parameter.shape).astype(np.float32))
    for name, count in zip(network.hidden, active):
        mask = np.zeros(network.get_submodule(name).out_features, np.uint8)
        mask[random.choice(len(mask), count, replace=False)] = 1
        data[f"mask.{name}"] = torch.tensor(mask)
    return data


def update(network, optimiser, frozen):
    """One step of the optimiser that changes neither frozen parameters nor their optimiser state."""
    before = {parameter: parameter.detach().clone() for parameter in network.parameters()}
    state_before = {parameter: {key: value.clone() for key, value in optimiser.state[parameter].items()}
                    for parameter in network.parameters()}
    optimiser.step()
    for name, parameter in network.named_parameters():
        parameter.data[frozen[name]] = before[parameter][frozen[name]]
        for key, value in optimiser.state[parameter].items():
            if value.shape == parameter.shape:  # not Adam's step count
                unborn = torch.zeros_like(value)
                value[frozen[name]] = state_before[parameter].get(key, unborn)[frozen[name]]


def run(network, data, phi_name):
    """All results of one replica with one activation."""
    phi = ACTIVATIONS[phi_name]
    masks = {name: data[f"mask.{name}"].double() for name in network.hidden}
    frozen = network.frozen(masks)
    init = {name: data[f"init.{name}"].double() for name, _ in network.named_parameters()}
    batches = list(zip(data["input"].double(), data["labels"].long()))
    results = {}

    network.load_state_dict(init)
    network.zero_grad()
    logits, z, masked = network(batches[0][0], masks, phi)
    for h in masked.values():
        h.retain_grad()
    functional.cross_entropy(logits, batches[0][1]).backward()
    results["logits"] = logits
    results |= {f"z.{name}": value for name, value in z.items()}
    results |= {f"h_gradient.{name}": h.grad for name, h in masked.items()}
    results |= {f"gradient.{name}": parameter.grad.clone() for name, parameter in network.named_parameters()}

    for optimiser_name, make_optimiser in OPTIMISERS.items():
        network.load_state_dict(init)
        optimiser = make_optimiser(network.parameters())
        losses = []
        for step, (images, labels) in enumerate(batches):
            logits, z, _ = network(images, masks, phi)
            # Near the kink of ReLU, single precision could be on the other side.
            assert all(value.abs().min() > 2e-5 for value in z.values()), "choose another seed"
            loss = functional.cross_entropy(logits, labels)
            optimiser.zero_grad()
            loss.backward()
            update(network, optimiser, frozen)
            losses.append(loss.detach())
            if phi_name == "relu" or step == len(batches) - 1:
                results |= {f"{optimiser_name}.after{step + 1}.{name}": parameter.detach().clone()
                            for name, parameter in network.named_parameters()}
        results[f"{optimiser_name}.loss"] = torch.stack(losses)
    return results


def make(seed, image, channels, hidden, active, rows, steps):
    random = np.random.default_rng(seed)
    network = Network(image, channels, hidden)
    replicas = []
    for replica in range(REPLICAS):
        data = draw(network, [counts[replica] for counts in active], image, rows, steps, random)
        for phi_name in ACTIVATIONS:
            data |= {f"{phi_name}.{key}": value.detach().float() for key, value in run(network, data, phi_name).items()}
        replicas.append(data)

    def steps_first(name):
        return name in ("input", "labels") or name.endswith(".loss")

    return {name: torch.stack([data[name] for data in replicas], dim=1 if steps_first(name) else 0)
            for name in replicas[0]}


if __name__ == "__main__":
    for network_name, description in NETWORKS.items():
        path = Path(__file__).parent / f"{network_name}.safetensors"
        save_file(make(**description), path, {"format": "cambium-golden-1"})
        print(f"{path}: {path.stat().st_size} bytes")
