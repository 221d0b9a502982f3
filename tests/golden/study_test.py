"""Tests of the reference implementation: random numbers with known values, and properties of the methods.

    build/peers/bin/python tests/golden/study_test.py
"""

import unittest

import numpy as np
import torch
from torch.nn import functional

import edits
import streams
from network import Images, Network, Settings, observe
from study import first_masks, run_cycles, run_iid

CONFIG = {"data": "fashion-mnist", "hidden": "12,10", "batch": "8", "cycles": "3", "epochs_per_cycle": "1",
          "seeds": "3", "compactness": "0.6", "seed_fraction": "0.3", "lr": "0.05"}


def some_images(count=44):
    random = np.random.default_rng(1)
    pixels = torch.from_numpy(random.integers(256, size=(count, 784)).astype(np.uint8))
    labels = torch.from_numpy(random.integers(10, size=count))
    return Images(pixels, labels, pixels, labels)


def network_of(settings, steps=5, images=None):
    """A network after a few training steps."""
    network = Network(settings, 3, torch.float64, first_masks(settings, 3))
    images = images or some_images()
    for step in range(steps):
        rows = slice(8 * step, 8 * step + 8)
        network.step(images.train[rows], images.train_labels[rows], settings.rate(0))
    return network


def settings_of(**keys):
    return Settings(CONFIG | keys)


class Streams(unittest.TestCase):
    def test_philox_gives_the_known_answers_of_random123(self):
        for counter, key, answer in (
                ((0, 0, 0, 0), (0, 0), (0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8)),
                ((0xFFFFFFFF,) * 4, (0xFFFFFFFF,) * 2, (0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD)),
                ((0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344), (0xA4093822, 0x299F31D0),
                 (0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1))):
            self.assertEqual(tuple(streams.blocks(*counter, *key).tolist()), answer)

    def test_a_partial_draw_is_the_end_of_the_whole_order(self):
        whole = streams.drawn(100, 100, 7, streams.DATA_ORDER, 2)
        self.assertEqual(sorted(whole.tolist()), list(range(100)))
        np.testing.assert_array_equal(streams.drawn(100, 30, 7, streams.DATA_ORDER, 2), whole[-30:])

    def test_noise_is_standard_normal(self):
        noise = np.concatenate([streams.normal_row(1000, 1, unit, 0, 1) for unit in range(100)])
        self.assertLess(abs(noise.mean()), 0.01)
        self.assertLess(abs(noise.std() - 1), 0.01)
        self.assertLess(abs((np.abs(noise) < 1).mean() - 0.6827), 0.005)


class Counts(unittest.TestCase):
    def test_targets_are_those_of_the_study(self):
        for compactness, units in (("0.2", 51), ("0.3", 77), ("0.4", 102), ("0.5", 128)):
            self.assertEqual(settings_of(hidden="256", compactness=compactness).targets(), [units, units])

    def test_active_units_follow_the_quotas_of_the_study(self):
        for width, target, pruned, seeds, grown in (
                (512, 102, (409, 306, 204, 102), 51, (64, 77, 90, 102)),
                (256, 77, (211, 166, 121, 77), 26, (39, 52, 65, 77)),
                (512, 205, (435, 358, 281, 205), 51, (90, 129, 167, 205)),
                (256, 128, (224, 192, 160, 128), 26, (52, 78, 103, 128))):
            for start, sign, expected in (width, -1, pruned), (seeds, 1, grown):
                active = [start]
                for ended in range(1, 5):
                    active.append(active[-1] + sign * edits.quota(sign * (target - active[-1]), ended, 5))
                self.assertEqual(tuple(active[1:]), expected)

    def test_an_edit_before_every_cycle_counts_from_zero(self):
        for start, sign, expected in (512, -1, (430, 348, 266, 184, 102)), (51, 1, (62, 72, 82, 92, 102)):
            active = [start]
            for ended in range(5):
                active.append(active[-1] + sign * edits.quota(sign * (102 - active[-1]), ended, 5))
            self.assertEqual(tuple(active[1:]), expected)

    def test_grow_and_prune_end_with_the_same_numbers_of_units(self):
        for first_edit in "after_first_cycle", "before_first_cycle":
            for method in "grow", "prune":
                run = run_iid(settings_of(method=method, first_edit=first_edit, ticket="no"), 3, some_images())
                self.assertEqual([len(units) for units in run.active[-1]], [7, 6])


class Promises(unittest.TestCase):
    def test_parameters_of_inactive_units_do_not_change(self):
        for keys in {"momentum": "0.9"}, {"optimizer": "adam"}:
            settings = settings_of(method="grow", weight_decay="0.01", **keys)
            network, start = network_of(settings), network_of(settings, steps=0)
            frozen = network.of_units([mask == 0 for mask in network.masks])
            for value, before, marked, buffers in zip(network.values(), start.values(), frozen, network.buffers()):
                self.assertTrue(torch.equal(value[marked], before[marked]))
                self.assertTrue((value[~marked] != before[~marked]).any())
                self.assertTrue(buffers and all((buffer[marked] == 0).all() for buffer in buffers.values()))

    def test_counterfactual_gradients_equal_those_of_a_straight_through_mask(self):
        for activation in "relu", "smooth_leaky", "rsl":
            network, images = network_of(settings_of(method="grow", activation=activation)), some_images()
            x, labels = network.inputs(images.train), images.train_labels
            for l, seen in enumerate(observe(network, images.train, labels)):
                h, z_of = x, None
                for k, mask in enumerate(network.masks):
                    z = functional.linear(h, network.weight[k], network.bias[k])
                    if k == l:
                        z = z_of = z.detach().requires_grad_()
                    raw = network.phi(z, k, training=False)
                    h = raw + (raw * mask - raw).detach() if k == l else raw * mask
                logits = functional.linear(h, network.weight[-1], network.bias[-1])
                gradient, = torch.autograd.grad(functional.cross_entropy(logits, labels, reduction="sum"), z_of)
                torch.testing.assert_close(seen.gradient, gradient)

    def test_gradmax_scores_equal_norms_of_counterfactual_gradients(self):
        settings = settings_of(method="grow", grow_score="gradmax")
        network, images = network_of(settings), some_images(8)
        scores, _ = edits.growth_scores(network, images, 1)
        for l, mask in enumerate(network.masks):
            for unit in (mask == 0).nonzero().flatten().tolist():
                # The mask of this unit alone is 1 in the backward pass and 0 in the forward pass: its outgoing weights
                # get their gradient from phi(z).
                own = Network(settings, 3, torch.float64, network.masks)
                for parameter, value in zip(own.parameters(), network.values()):
                    parameter.data.copy_(value)
                h = own.inputs(images.train)
                for k, other in enumerate(own.masks):
                    raw = own.phi(functional.linear(h, own.weight[k], own.bias[k]), k, training=False)
                    h, extra = raw * other, raw[:, unit]
                    if k == l:
                        break
                after = own.weight[l + 1]
                column = after[:, unit]
                silent = (extra[:, None] * column.detach() - (extra[:, None] * column.detach()).detach()) \
                    + (extra[:, None].detach() * column - (extra[:, None].detach() * column).detach())
                z = functional.linear(h, after, own.bias[l + 1]) + silent
                for k in range(l + 1, len(own.masks)):
                    z = functional.linear(own.phi(z, k, False) * own.masks[k], own.weight[k + 1], own.bias[k + 1])
                functional.cross_entropy(z, images.train_labels).backward()
                gradient = torch.cat([own.weight[l].grad[unit], own.bias[l].grad[unit, None], after.grad[:, unit]])
                self.assertAlmostEqual(scores[l][unit].item(), gradient.norm().item(), places=12)

    def test_net2wider_without_noise_keeps_the_function(self):
        for activation in "relu", "rsl":
            network = network_of(settings_of(method="grow", activation=activation, intervention="net2wider",
                                             net2wider_eps="0"))
            images = some_images()
            before = network.forward(network.inputs(images.train)).logits
            edit = edits.grow(network, images, 1)
            self.assertTrue(all(edit.chosen))
            torch.testing.assert_close(network.forward(network.inputs(images.train)).logits, before)

    def test_moment_transplant_changes_moments_of_newborns_only(self):
        network, images = network_of(settings_of(method="grow", optimizer="adam", intervention="moment_transplant")), \
            some_images()
        values, buffers = network.values(), [{key: buffer.clone() for key, buffer in own.items()}
                                             for own in network.buffers()]
        edit = edits.grow(network, images, 1)
        born = [torch.isin(torch.arange(len(mask)), torch.tensor(units))
                for mask, units in zip(network.masks, edit.chosen)]
        for value, before, own, own_before, marked in zip(network.values(), values, network.buffers(), buffers,
                                                          network.of_units(born)):
            self.assertTrue(torch.equal(value, before))
            for key in own:
                self.assertTrue(torch.equal(own[key][~marked], own_before[key][~marked]))
        unit, donor = edit.chosen[0][0], edit.moment_donors[0][0]
        self.assertTrue(torch.equal(network.buffers()[0]["exp_avg_sq"][unit], buffers[0]["exp_avg_sq"][donor]))

    def test_two_speed_scales_the_steps_of_newborns_within_their_window(self):
        images = some_images()
        settings = [settings_of(method="grow", intervention=name, two_speed_r="3", two_speed_steps="2")
                    for name in ("none", "two_speed")]
        plain, fast = (network_of(own) for own in settings)
        edit = edits.grow(plain, images, 1), edits.grow(fast, images, 1)
        born = plain.of_units([torch.isin(torch.arange(len(mask)), torch.tensor(units))
                               for mask, units in zip(plain.masks, edit[0].chosen)])
        for step in range(3):
            for parameter, value in zip(plain.parameters(), fast.values()):
                parameter.data.copy_(value)
            before = plain.values()
            for network in plain, fast:
                network.step(images.train[:8], images.train_labels[:8], 0.1)
            for value, slow, quick, marked in zip(before, plain.values(), fast.values(), born):
                expected = torch.where(marked, value + (3 if step < 2 else 1) * (slow - value), slow)
                torch.testing.assert_close(quick, expected, rtol=0, atol=1e-15)

    def test_a_full_rewind_resets_parameters_and_optimiser(self):
        settings = settings_of(method="prune", optimizer="adam")
        start, network = network_of(settings, steps=0).values(), network_of(settings)
        edits.rewind(network, start, edits.prune(network, 1))
        self.assertTrue(all(torch.equal(*pair) for pair in zip(network.values(), start)))
        self.assertFalse(any(network.buffers()))

    def test_diagnostics_do_not_change_training(self):
        for method in "grow", "prune":
            settings = settings_of(method=method, activation="rsl", optimizer="adam")
            runs = [run_cycles(settings, 3, some_images(), torch.float64, diagnose) for diagnose in (False, True)]
            self.assertTrue(all(torch.equal(*pair) for pair in zip(*(network.values() for _, network in runs))))
            self.assertEqual(runs[0][0].active, runs[1][0].active)
            self.assertTrue(runs[1][0].diagnostics)


if __name__ == "__main__":
    torch.set_num_threads(1)
    unittest.main()
