"""A masked network with its optimiser in PyTorch, as bench/replay_pytorch.py trains it."""

import torch
from torch.nn import functional

from random_slopes import random_slopes


class Activation:
    def __init__(self, config: dict, seed: int):
        self.config, self.seed = config, seed

    def __call__(self, z: torch.Tensor, layer: int, step: int | None) -> torch.Tensor:
        """Without a step: evaluation mode, in which rsl has its mean slope."""
        kind = self.config["activation"]
        if kind == "relu":
            return functional.relu(z)
        if kind == "smooth_leaky":
            slope = self.config["leaky_alpha"]
        elif kind == "rsl":
            lower, upper = self.config["rsl_lower"], self.config["rsl_upper"]
            slope = (lower + upper) / 2
            if step is not None:
                slope = torch.from_numpy(random_slopes(tuple(z.shape), self.seed, layer, step, lower, upper))
        else:
            raise ValueError(f"unknown activation {kind!r}")
        return slope * z + (1 - slope) * z * torch.sigmoid(self.config["rsl_c"] / self.config["rsl_p"] * z)


class Network:
    """Parameters by their names in a state dict, masks by layer, the optimiser, and when units were born."""

    def __init__(self, config: dict, seed: int, parameters: dict[str, torch.Tensor], masks: dict[str, torch.Tensor]):
        self.config, self.phi = config, Activation(config, seed)
        self.parameters = {name: tensor.clone().requires_grad_() for name, tensor in parameters.items()}
        self.masks = masks
        *self.hidden, self.output = sorted({name.split(".")[0] for name in parameters})  # conv1, conv2, fc1, fc2, ...
        self.births: list[tuple[int, dict[str, torch.Tensor]]] = []  # first step of newborn units, by layer
        self.optimizer = make_optimizer(self.parameters.values(), config)

    def consumer(self, layer: str) -> str:
        return f"fc{int(layer.removeprefix('fc')) + 1}"

    def forward(self, images: torch.Tensor, step: int | None, seen: dict | None = None) -> torch.Tensor:
        """Returns the logits: convolutions with pools, if any, then fully connected layers, the last one linear.

        `seen` receives the input, z, phi(z) and phi(z) * mask of every masked layer, and z of the output."""
        h = images
        for number, name in enumerate(self.hidden):
            weight, bias = self.parameters[f"{name}.weight"], self.parameters[f"{name}.bias"]
            if name.startswith("conv"):
                h = functional.max_pool2d(self.phi(functional.conv2d(h, weight, bias, padding=1), number, step), 2)
                continue
            before = h.flatten(1)
            z = functional.linear(before, weight, bias)
            raw = self.phi(z, number, step)
            h = raw * self.masks[name] if name in self.masks else raw
            if seen is not None:
                seen[name] = {"input": before, "z": z, "raw": raw, "h": h}
        logits = functional.linear(h.flatten(1), self.parameters[f"{self.output}.weight"],
                                   self.parameters[f"{self.output}.bias"])
        if seen is not None:
            seen[self.output] = {"z": logits}
        return logits

    def belongs_to(self, units: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """By parameter: true in incoming rows, biases and outgoing columns of the units (a boolean mask per layer)."""
        marked = {name: torch.zeros_like(parameter, dtype=torch.bool) for name, parameter in self.parameters.items()}
        for layer, chosen in units.items():
            marked[f"{layer}.weight"][chosen, :] = True
            marked[f"{layer}.bias"][chosen] = True
            marked[f"{self.consumer(layer)}.weight"][:, chosen] = True
        return marked

    def moments(self, name: str) -> list[torch.Tensor]:
        """The optimiser's tensors for a parameter; empty before the first step."""
        parameter = self.parameters[name]
        return [value for value in self.optimizer.state.get(parameter, {}).values()
                if isinstance(value, torch.Tensor) and value.shape == parameter.shape]

    def step(self, images: torch.Tensor, labels: torch.Tensor, rate: float, step: int) -> float:
        """Makes one update and returns the loss before it."""
        loss = functional.cross_entropy(self.forward(images, step), labels)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.param_groups[0]["lr"] = rate
        decays, warm = self.config.get("weight_decay", 0), self.warm_units(step)
        before = {name: parameter.detach().clone() for name, parameter in self.parameters.items()} \
            if decays or warm else {}
        self.optimizer.step()
        if decays:  # inactive units have zero moments, so only weight decay would change them
            frozen = self.belongs_to({layer: mask == 0 for layer, mask in self.masks.items()})
            for name, parameter in self.parameters.items():
                parameter.data[frozen[name]] = before[name][frozen[name]]
                for moment in self.moments(name):
                    moment[frozen[name]] = 0
        if warm:
            fast = self.belongs_to(warm)
            for name, parameter in self.parameters.items():
                old = before[name][fast[name]]
                parameter.data[fast[name]] = old + self.config["two_speed_r"] * (parameter.data[fast[name]] - old)
        return loss.item()

    def warm_units(self, step: int) -> dict[str, torch.Tensor]:
        """Units whose step Two-Speed scales now, by layer; empty if there are none."""
        warm = {}
        if "two_speed" in interventions(self.config) and self.config["two_speed_r"] != 1:
            for birth, newborns in self.births:
                if birth <= step < birth + self.config["two_speed_steps"]:
                    warm = {layer: units | warm.get(layer, units) for layer, units in newborns.items()}
        return warm


def interventions(config: dict) -> list[str]:
    given = config.get("intervention", [])
    return given.split(",") if isinstance(given, str) else given


def make_optimizer(parameters, config: dict) -> torch.optim.Optimizer:
    decay = config.get("weight_decay", 0)
    if config["optimizer"] == "adam":
        return torch.optim.Adam(parameters, weight_decay=decay)
    if config["optimizer"] == "sgd":
        return torch.optim.SGD(parameters, momentum=config.get("momentum", 0), weight_decay=decay)
    raise ValueError(f"unknown optimizer {config['optimizer']!r}")
