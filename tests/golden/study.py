"""The study's i.i.d. protocol, one seed at a time: cycles with edits between them, the ticket, and the diagnostics."""

from dataclasses import dataclass, field

import torch

import edits
import streams
from edits import Edit
from network import Images, Network, Settings, observe, round_half_up

TAU_DIAGNOSTICS = 0.05


@dataclass
class Epochs:
    """One value per epoch."""
    train_loss: list[float] = field(default_factory=list)
    train_correct: list[int] = field(default_factory=list)
    test_loss: list[float] = field(default_factory=list)
    test_correct: list[int] = field(default_factory=list)


@dataclass
class Run:
    seed: int
    first_active: list[list[int]]
    edits: list[Edit] = field(default_factory=list)
    active: list[list[list[int]]] = field(default_factory=list)  # by event: active units of every layer after it
    cycles: Epochs = field(default_factory=Epochs)
    ticket: Epochs | None = None
    diagnostics: list[dict] = field(default_factory=list)


def first_masks(settings: Settings, seed: int) -> list[torch.Tensor]:
    """The initial masks: all units, the seed units of GROW, or random masks."""
    masks = []
    for l, (width, target) in enumerate(zip(settings.widths[1:-1], settings.targets())):
        units = list(range(width))
        if settings["method"] == "grow":
            amount = max(1, min(round_half_up(settings.number("seed_fraction") * width), target))
            units = streams.random_units(width, amount, seed, l)
        elif settings["masks"] == "random":
            units = streams.random_units(width, target, seed, l)
        mask = torch.zeros(width)
        mask[units] = 1
        masks.append(mask)
    return masks


def train_epoch(network: Network, images: Images, epoch: int, rate: float, log: Epochs) -> None:
    order = torch.from_numpy(streams.epoch_order(len(images.train), network.seed, epoch))
    loss, correct = 0.0, 0
    for batch in order.split(network.settings.batch):
        batch_loss, batch_correct = network.step(images.train[batch], images.train_labels[batch], rate)
        loss, correct = loss + batch_loss, correct + batch_correct
    log.train_loss.append(loss / len(order))
    log.train_correct.append(correct)
    test_loss, test_correct = network.evaluate(images.test, images.test_labels)
    log.test_loss.append(test_loss)
    log.test_correct.append(test_correct)


class Diagnosis:
    """Means of activation rate and gradient magnitude over the cohorts of an event, on the batches of the event."""

    def __init__(self, run: Run, network: Network, images: Images):
        self.run, self.network, self.images = run, network, images

    def observe(self, event: int) -> list[dict[str, list[torch.Tensor]]]:
        """By batch: activation rate and gradient magnitude of every unit of every hidden layer."""
        images, network = self.images, self.network
        observed = []
        for batch in streams.diagnosis_batches(len(images.train), network.settings.batch, network.seed, event):
            signals = observe(network, images.train[batch], images.train_labels[batch])
            observed.append({"activation": [(seen.raw > TAU_DIAGNOSTICS).double().mean(0) for seen in signals],
                             "gradient": [seen.gradient.abs().mean(0) for seen in signals]})
        return observed

    def record(self, edit: Edit, time: str, age: int, observed: list | None = None) -> None:
        """Rows for the cohorts that are active now, or for `observed`, a state before the edit."""
        active = edit.before if observed else self.network.active()
        observed = observed or self.observe(edit.event)
        for l in range(self.network.settings.hidden_layers):
            for cohort, units in self.cohorts(edit, l).items():
                if not units or not set(units) <= set(active[l]):
                    continue
                row = {"event": edit.event, "layer": l, "time": time, "age": age, "cohort": cohort, "units": len(units)}
                for signal in "activation", "gradient":
                    means = [batch[signal][l][units].mean().item() for batch in observed]
                    row |= {signal: means[0], f"{signal}_of_8": sum(means) / len(means)}
                self.run.diagnostics.append(row)

    def cohorts(self, edit: Edit, layer: int) -> dict[str, list[int]]:
        chosen, before = edit.chosen[layer], edit.before[layer]
        if self.network.settings["method"] == "grow":
            return {"newborn": chosen, "incumbent": before}
        return {"kept": sorted(set(before) - set(chosen)), "pruned": chosen}


def run_event(network: Network, images: Images, event: int, rewind_to: list[torch.Tensor],
              diagnosis: Diagnosis | None) -> Edit:
    """Makes one edit and measures the cohorts before, during and after it."""
    exit_signals = diagnosis.observe(event) if diagnosis else None
    grows = network.settings["method"] == "grow"
    edit = edits.grow(network, images, event) if grows else edits.prune(network, event)
    if diagnosis:
        diagnosis.record(edit, "exit", 0, exit_signals)
    if not grows:
        if diagnosis:
            diagnosis.record(edit, "post_mask", 0)
        edits.rewind(network, rewind_to, edit)
    if diagnosis:
        diagnosis.record(edit, "post", 0)
    return edit


def run_cycles(settings: Settings, seed: int, images: Images, dtype: torch.dtype,
               diagnose: bool) -> tuple[Run, Network]:
    network = Network(settings, seed, dtype, first_masks(settings, seed))
    run = Run(seed, network.active())
    diagnosis = Diagnosis(run, network, images) if diagnose else None
    rewind_to = network.values()
    snapshot_epoch = int(settings["rewind_epoch"]) if settings["rewind_to"] == "snapshot" else 0
    first_event = 0 if settings["first_edit"] == "before_first_cycle" else 1
    epoch = 0
    for ended in range(settings.cycles):  # finished cycles; also the number of the next event
        edit = None
        if settings["method"] != "dense" and ended >= first_event:
            edit = run_event(network, images, ended, rewind_to, diagnosis)
            run.edits.append(edit)
            run.active.append(network.active())
        for age in range(1, settings.epochs_per_cycle + 1):
            rate = settings.rate(age - 1 if settings["lr_mode"] == "restart" else epoch)
            train_epoch(network, images, epoch, rate, run.cycles)
            epoch += 1
            if epoch == snapshot_epoch:
                rewind_to = network.values()
            if diagnosis and edit:
                diagnosis.record(edit, "age", age)
        if diagnosis and edit:
            diagnosis.record(edit, "end", settings.epochs_per_cycle)
    return run, network


def run_ticket(settings: Settings, seed: int, images: Images, masks: list[torch.Tensor], dtype: torch.dtype) -> Epochs:
    """Trains the ticket: the final masks from the initial (or a fresh) state, with the same data and one schedule."""
    network = Network(settings, seed, dtype, masks, redraw=1 if settings["wt_init"] == "fresh" else 0)
    log = Epochs()
    for epoch in range(settings.cycles * settings.epochs_per_cycle):
        train_epoch(network, images, epoch, settings.rate(epoch), log)
    return log


def run_iid(settings: Settings, seed: int, images: Images, dtype: torch.dtype = torch.float64,
            diagnose: bool = False) -> Run:
    run, network = run_cycles(settings, seed, images, dtype, diagnose)
    if settings["method"] != "dense" and settings.yes("ticket"):
        run.ticket = run_ticket(settings, seed, images, network.masks, dtype)
    return run
