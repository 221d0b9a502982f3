"""Edits of GROW and PRUNE as bench/replay_pytorch.py repeats them, with the units, donors and noise of a trace.

The replay also computes its own scores and compares the choices. A recorded choice counts as different if PyTorch's
scores would choose another unit. Its shortfall is the missing score, relative to the largest score of the layer:
rounding errors can decide between nearly equal scores.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from random_slopes import philox
from replay_network import Network, interventions

RANDOM_SCORES = 0x53454C45  # "SELE"


@dataclass
class Choices:
    made: int = 0
    different: int = 0
    shortfall: float = 0.0  # the largest

    def compare(self, scores: torch.Tensor, candidates: torch.Tensor, chosen: torch.Tensor) -> None:
        """Compares choices with scores: the highest scores should be chosen; among equal scores, the first unit."""
        amount = int(chosen.sum())
        ranked = sorted(candidates.nonzero().flatten().tolist(), key=lambda unit: (-scores[unit].item(), unit))
        expected = set(ranked[:amount])
        different = [unit for unit in chosen.nonzero().flatten().tolist() if unit not in expected]
        self.made += amount
        self.different += len(different)
        if different:
            bar, largest = scores[ranked[amount - 1]].item(), scores[ranked].abs().max().item()
            worst = min(scores[unit].item() for unit in different)
            self.shortfall = max(self.shortfall, (bar - worst) / (largest or 1.0))


@dataclass
class Event:
    """The record of one event and replica in a trace; tensors by layer."""
    number: int
    step: int
    masks: dict[str, torch.Tensor]
    images: torch.Tensor | None  # of the scoring batch
    labels: torch.Tensor | None
    donors: dict[str, torch.Tensor]
    noise: dict[str, torch.Tensor]
    moment_donors: dict[str, torch.Tensor]


def grow(network: Network, event: Event, seed: int, choices: Choices) -> None:
    incumbents = {layer: mask == 1 for layer, mask in network.masks.items()}
    newborns = {layer: (event.masks[layer] == 1) & ~incumbents[layer] for layer in network.masks}
    for layer, scores in growth_scores(network, event, seed).items():
        choices.compare(scores, ~incumbents[layer], newborns[layer])
    network.masks = event.masks
    network.births.append((event.step, newborns))
    with torch.no_grad():
        if "net2wider" in interventions(network.config):
            net2wider(network, event, newborns)
        if "moment_transplant" in interventions(network.config):
            for layer, born in newborns.items():
                moment_transplant(network, event.moment_donors[layer], layer, incumbents[layer], born, choices)


def growth_scores(network: Network, event: Event, seed: int) -> dict[str, torch.Tensor]:
    """Scores of every unit, by layer."""
    rule, scores = network.config["grow_score"], {}
    if rule == "magnitude":
        return {layer: magnitude(network, layer) for layer in network.masks}
    if rule == "random":
        return {layer: random_scores(len(mask), seed, number, event.number)
                for number, (layer, mask) in enumerate(sorted(network.masks.items()))}
    seen: dict[str, dict[str, torch.Tensor]] = {}
    loss = functional.cross_entropy(network.forward(event.images, None, seen), event.labels, reduction="sum")
    rows = len(event.labels)
    for layer in network.masks:
        own = seen[layer]
        if rule == "activation":
            scores[layer] = (own["raw"] > network.config["tau"]).float().mean(0)
            continue
        by_h, by_next = torch.autograd.grad(loss, [own["h"], seen[network.consumer(layer)]["z"]], retain_graph=True)
        # The gradient with mask 1: the backward pass through phi alone.
        gradient, = torch.autograd.grad(own["raw"], own["z"], grad_outputs=by_h, retain_graph=True)
        if rule == "gradient":
            scores[layer] = gradient.abs().mean(0)
        elif rule == "gradmax":
            into = torch.cat([gradient.T @ own["input"], gradient.sum(0)[:, None]], 1) / rows
            out = own["raw"].T @ by_next / rows
            scores[layer] = torch.cat([into, out], 1).norm(dim=1).detach()
        else:
            raise ValueError(f"unknown grow_score {rule!r}")
    return scores


def magnitude(network: Network, layer: str) -> torch.Tensor:
    return network.parameters[f"{layer}.weight"].detach().abs().mean(1)


def random_scores(units: int, seed: int, layer: int, event: int) -> torch.Tensor:
    """Uniform numbers: word j % 4 of the Philox block (j / 4, layer, event, 0) for unit j."""
    blocks = np.arange((units + 3) // 4, dtype=np.uint32)
    words = philox([blocks, *(np.full_like(blocks, value) for value in (layer, event, 0))],
                   (seed & 0xFFFFFFFF, RANDOM_SCORES))
    return torch.from_numpy((np.stack(words, 1).reshape(-1)[:units] >> 8).astype(np.float32) * np.float32(2**-24))


def net2wider(network: Network, event: Event, newborns: dict[str, torch.Tensor]) -> None:
    """Copies the recorded donors, divides their outgoing weights among the copies, and adds the recorded noise."""
    for layer, born in sorted(newborns.items()):
        weight, bias = (network.parameters[f"{layer}.{kind}"] for kind in ("weight", "bias"))
        outgoing = network.parameters[f"{network.consumer(layer)}.weight"]
        units = born.nonzero().flatten()
        donors = event.donors[layer][units].long()
        copies = torch.bincount(donors, minlength=len(born))
        weight[units], bias[units] = weight[donors], bias[donors]
        outgoing /= 1 + copies
        outgoing[:, units] = outgoing[:, donors]
    epsilon = network.config["net2wider_eps"]
    for layer, born in newborns.items() if epsilon > 0 else ():
        weight, units = network.parameters[f"{layer}.weight"], born.nonzero().flatten()
        deviation = weight[event.donors[layer][units].long()].std(1, correction=0, keepdim=True)
        weight[units] += epsilon * deviation * event.noise[layer][:len(units)]


def moment_transplant(network: Network, donors: torch.Tensor, layer: str, incumbents: torch.Tensor,
                      newborns: torch.Tensor, choices: Choices) -> None:
    """Copies the moments of the recorded donors; the best donor has the most similar incoming weights."""
    weight = network.parameters[f"{layer}.weight"].detach()
    for unit in newborns.nonzero().flatten().tolist():
        donor = int(donors[unit])
        chosen = torch.zeros_like(incumbents)
        chosen[donor] = True
        choices.compare(functional.cosine_similarity(weight, weight[unit][None]), incumbents, chosen)
        for name in f"{layer}.weight", f"{layer}.bias":
            for moment in network.moments(name):
                moment[unit] = moment[donor]
        for moment in network.moments(f"{network.consumer(layer)}.weight"):
            moment[:, unit] = moment[:, donor]


def prune(network: Network, event: Event, rewind_to: dict[str, torch.Tensor], choices: Choices) -> None:
    """Removes the recorded units, clears their moments, and rewinds according to the configuration."""
    config = network.config
    active = {layer: mask == 1 for layer, mask in network.masks.items()}
    removed = {layer: active[layer] & (event.masks[layer] == 0) for layer in network.masks}
    for layer in network.masks:
        choices.compare(-magnitude(network, layer), active[layer], removed[layer])
    network.masks = event.masks
    for name, marked in network.belongs_to(removed).items():
        for moment in network.moments(name):
            moment[marked] = 0
    nothing = not any(units.any() for units in removed.values())
    if config["rewind_to"] == "none" or (nothing and not config["rewind_when_k0"]):
        return
    for name, parameter in network.parameters.items():
        layer = name.split(".")[0]
        if config["rewind_scope"] == "all" or layer in network.masks or (config["rewind_scope"] == "head" and
                                                                         layer.startswith("fc")):
            parameter.data.copy_(rewind_to[name])
            if config["rewind_opt"]:
                network.optimizer.state.pop(parameter, None)
