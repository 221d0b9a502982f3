"""The edits of the study: the choice of units by GROW and PRUNE, and the changes to them in an event.

An edit changes a Network (network.py) and returns its choices with their margins: a program in single precision can
choose other units if a margin is as small as a rounding error.
"""

from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.nn import functional

import streams
from network import Images, Network, observe

TAU_ERROR = 1e-4  # allowed error of an activation, which must not change a choice


@dataclass
class Edit:
    """The changes in an event, by hidden layer."""
    event: int
    step: int  # the first step after the event
    before: list[list[int]]  # active units
    chosen: list[list[int]] = field(default_factory=list)  # newborn or removed
    margins: list[float] = field(default_factory=list)  # relative, between the last chosen and the first not chosen
    donors: list[list[int]] = field(default_factory=list)  # Net2Wider: one for each newborn
    moment_donors: list[list[int]] = field(default_factory=list)
    donor_margins: list[float] = field(default_factory=list)  # smallest gap between the best and the second cosine


def quota(difference: int, ended: int, cycles: int) -> int:
    """Units to add or remove now, when `difference` are left to the target and cycle `ended` has ended."""
    if difference <= 0:
        return 0
    remaining = max(1, cycles - ended)
    return min(difference, (difference + remaining - 1) // remaining)


def magnitude(weight: Tensor) -> Tensor:
    """Mean absolute incoming weight of every unit, over all inputs."""
    return weight.detach().abs().mean(1)


def highest(scores: Tensor, candidates: list[int], amount: int) -> list[int]:
    """The candidates with the highest scores; among equal scores, those with the lower number."""
    return sorted(sorted(candidates, key=lambda unit: (-scores[unit].item(), unit))[:amount])


def margin(scores: Tensor, candidates: list[int], chosen: list[int]) -> float:
    """Relative distance between the lowest chosen score and the highest other score; infinite without a choice."""
    others = [unit for unit in candidates if unit not in chosen]
    if not chosen or not others:
        return float("inf")
    last, first = scores[chosen].min().item(), scores[others].max().item()
    return (last - first) / max(abs(last), abs(first), 1e-300)


def activation_margin(raw: Tensor, tau: float, candidates: list[int], chosen: list[int]) -> float:
    """Like margin(), but 0 if errors of TAU_ERROR in the activations could change the choice."""
    least, most = (raw > tau + TAU_ERROR).sum(0).tolist(), (raw > tau - TAU_ERROR).sum(0).tolist()
    for unit in chosen:
        for other in set(candidates) - set(chosen):
            if (-least[unit], unit) > (-most[other], other):
                return 0.0
    exact = margin((raw > tau).double().mean(0), candidates, chosen)
    return exact if exact > 0 else float("inf")  # a tie that rounding errors cannot break


def growth_scores(network: Network, images: Images, event: int) -> tuple[list[Tensor], list[Tensor]]:
    """By hidden layer: the score of every unit, active or not, and phi of the pre-activations on the scoring batch."""
    settings, rule = network.settings, network.settings["grow_score"]
    batch = streams.scoring_batch(len(images.train), settings.batch, network.seed, event)
    scores, raw = [], []
    for l, seen in enumerate(observe(network, images.train[batch], images.train_labels[batch])):
        rows = len(seen.raw)
        if rule == "activation":
            score = (seen.raw > settings.number("tau")).double().mean(0)
        elif rule == "gradient":
            score = seen.gradient.abs().mean(0)
        elif rule == "gradmax":
            ones = torch.ones(rows, 1, dtype=network.dtype)
            into = seen.gradient.T @ torch.cat([seen.h_before, ones], 1) / rows
            out = seen.gradient_next.T @ seen.raw / rows
            score = ((into**2).sum(1) + (out**2).sum(0)).sqrt()
        elif rule == "random":
            score = torch.from_numpy(streams.random_scores(seen.raw.shape[1], network.seed, l, event))
        elif rule == "magnitude":
            score = magnitude(network.weight[l])
        else:
            raise ValueError(f"unknown rule {rule}")
        scores.append(score)
        raw.append(seen.raw)
    return scores, raw


def grow(network: Network, images: Images, event: int) -> Edit:
    """Activates the best inactive units of every layer; all layers are scored before any mask changes."""
    settings = network.settings
    edit = Edit(event, network.steps, network.active())
    scores, raw = growth_scores(network, images, event)
    for l, target in enumerate(settings.targets()):
        inactive = [unit for unit in range(settings.widths[l + 1]) if unit not in edit.before[l]]
        amount = quota(target - len(edit.before[l]), event, settings.cycles)
        newborns = highest(scores[l], inactive, amount)
        edit.chosen.append(newborns)
        edit.margins.append(activation_margin(raw[l], settings.number("tau"), inactive, newborns)
                            if settings["grow_score"] == "activation" else margin(scores[l], inactive, newborns))
        network.masks[l][newborns] = 1
        network.birth[l][newborns] = network.steps
    with torch.no_grad():
        if "net2wider" in settings.interventions:
            net2wider(network, edit)
        if "moment_transplant" in settings.interventions:
            moment_transplant(network, edit)
    return edit


def net2wider(network: Network, edit: Edit) -> None:
    """Newborns become copies of random incumbents, which share their outgoing weights with them; noise comes last."""
    for l, newborns in enumerate(edit.chosen):
        weight, bias, outgoing = network.weight[l], network.bias[l], network.weight[l + 1]
        donors = streams.donors(edit.before[l], len(newborns), network.seed, l, edit.event)
        for donor in set(donors):
            copies = [unit for unit, own in zip(newborns, donors) if own == donor]
            share = outgoing[:, donor] / (1 + len(copies))
            for unit in copies:
                weight[unit], bias[unit], outgoing[:, unit] = weight[donor], bias[donor], share
            outgoing[:, donor] = share
        edit.donors.append(donors)
    epsilon = network.settings.number("net2wider_eps")
    for l, newborns in enumerate(edit.chosen):
        weight = network.weight[l]
        for unit, donor in zip(newborns, edit.donors[l]):
            noise = streams.normal_row(weight.shape[1], network.seed, unit, l, edit.event)
            weight[unit] += epsilon * weight[donor].std(correction=0) * torch.from_numpy(noise).to(network.dtype)


def moment_transplant(network: Network, edit: Edit) -> None:
    """Newborns get the optimiser buffers of the incumbent whose incoming weights are most similar (cosine)."""
    buffers = network.buffers()
    for l, newborns in enumerate(edit.chosen):
        incumbents, matched = edit.before[l], []
        for unit in newborns:
            cosines = functional.cosine_similarity(network.weight[l][incumbents], network.weight[l][unit][None], dim=1)
            best = min(range(len(incumbents)), key=lambda i: (-cosines[i].item(), i))
            if len(incumbents) > 1:
                edit.donor_margins.append((cosines[best] - cosines[[i for i in range(len(incumbents)) if i != best]]
                                           .max()).item())
            donor = incumbents[best]
            for key in buffers[2 * l]:
                buffers[2 * l][key][unit] = buffers[2 * l][key][donor]
                buffers[2 * l + 1][key][unit] = buffers[2 * l + 1][key][donor]
                buffers[2 * l + 2][key][:, unit] = buffers[2 * l + 2][key][:, donor]
            matched.append(donor)
        edit.moment_donors.append(matched)


def prune(network: Network, event: int) -> Edit:
    """Removes the active units with the smallest incoming weights from every layer, and clears their buffers."""
    settings = network.settings
    edit = Edit(event, network.steps, network.active())
    for l, target in enumerate(settings.targets()):
        amount = quota(len(edit.before[l]) - target, event, settings.cycles)
        scores = -magnitude(network.weight[l])
        edit.chosen.append(highest(scores, edit.before[l], amount))
        edit.margins.append(margin(scores, edit.before[l], edit.chosen[l]))
    removed = []
    for mask, chosen in zip(network.masks, edit.chosen):
        mask[chosen] = 0
        removed.append(torch.zeros(len(mask), dtype=torch.bool))
        removed[-1][chosen] = True
    for marked, buffers in zip(network.of_units(removed), network.buffers()):
        for buffer in buffers.values():
            buffer[marked] = 0
    return edit


def rewind(network: Network, values: list[Tensor], edit: Edit) -> None:
    """Resets the parameters in scope to `values`, also those of inactive units, and resets their optimiser state."""
    settings = network.settings
    if settings["rewind_to"] == "none" or not (any(edit.chosen) or settings.yes("rewind_when_k0")):
        return
    # This network has no trunk, so the scope `head` is everything.
    in_scope = 2 * settings.hidden_layers if settings["rewind_scope"] == "masked" else len(values)
    for parameter, value in list(zip(network.parameters(), values))[:in_scope]:
        parameter.data.copy_(value)
        if settings.yes("rewind_opt"):
            network.optimizer.state.pop(parameter, None)
