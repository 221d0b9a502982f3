"""Tests of compare_runs.py: python3 tests/portability/compare_runs_test.py"""

import copy
import json
import pathlib
import tempfile
import unittest

import compare_runs


def edit(units, scores, runner_up, event=1, seed=1, layer="fc1"):
    return {
        "event": event,
        "seed": seed,
        "layer": layer,
        "units": units,
        "scores": scores,
        "runner_up": runner_up,
    }


def result(accuracies=(0.8, 0.9)):
    return {
        "config": {"method": "grow"},
        "seeds": [1, 2],
        "accuracy": {"mean": sum(accuracies) / 2, "seeds": list(accuracies)},
        "ticket": {"accuracy": {"mean": 0.5, "seeds": [0.5, 0.5]}},
    }


class Comparing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def run_folder(self, name, end, edits):
        folder = pathlib.Path(self.folder.name) / name
        folder.mkdir()
        (folder / "result.json").write_text(json.dumps(end))
        (folder / "events.jsonl").write_text("".join(json.dumps(line) + "\n" for line in edits))
        return folder

    def failures(self, edits_a, edits_b, result_a=None, result_b=None):
        a = self.run_folder("a", result_a or result(), edits_a)
        b = self.run_folder("b", result_b or result(), edits_b)
        self.report, failures = compare_runs.compare(a, b)
        return failures

    def test_equal_runs_agree(self):
        edits = [edit([3, 5], [0.5, 0.4], 0.2)]
        self.assertEqual(self.failures(edits, edits), [])

    def test_the_order_of_chosen_units_does_not_matter(self):
        self.assertEqual(self.failures([edit([3, 5], [0.5, 0.5], 0.2)], [edit([5, 3], [0.5, 0.5], 0.2)]), [])

    def test_another_unit_within_rounding_is_a_listed_tie(self):
        a, b = edit([3, 5], [0.5, 0.40001], 0.4), edit([3, 6], [0.5, 0.40001], 0.4)
        self.assertEqual(self.failures([a], [b]), [])
        tie = next(line for line in self.report if line.startswith("tie"))
        self.assertIn("[5] against [6]", tie)
        self.assertIn("margin at the cut 2.5e-05", tie)

    def test_another_unit_beyond_rounding_is_a_failure(self):
        failures = self.failures([edit([3, 5], [0.5, 0.4], 0.3)], [edit([3, 6], [0.5, 0.4], 0.3)])
        self.assertEqual(len(failures), 1)
        self.assertIn("margin at the cut 0.25", failures[0])

    def test_a_wide_margin_in_one_of_the_runs_is_a_failure(self):
        failures = self.failures([edit([3, 5], [0.5, 0.4], 0.4)], [edit([3, 6], [0.5, 0.4], 0.3)])
        self.assertEqual(len(failures), 1)

    def test_another_number_of_units_is_a_failure(self):
        failures = self.failures([edit([3, 5], [0.5, 0.4], 0.4)], [edit([3], [0.5], 0.5)])
        self.assertEqual(len(failures), 1)

    def test_other_units_where_all_were_taken_are_a_failure(self):
        failures = self.failures([edit([3], [0.5], None)], [edit([4], [0.5], None)])
        self.assertEqual(len(failures), 1)

    def test_after_a_tie_only_that_seed_is_left_out(self):
        tie_a, tie_b = edit([5], [0.4], 0.4), edit([6], [0.4], 0.4)
        later_a, later_b = edit([7], [0.9], 0.1, event=2), edit([8], [0.9], 0.1, event=2)
        self.assertEqual(self.failures([tie_a, later_a], [tie_b, later_b]), [])

    def test_after_a_tie_other_seeds_are_still_compared(self):
        tie_a, tie_b = edit([5], [0.4], 0.4), edit([6], [0.4], 0.4)
        other_a, other_b = edit([7], [0.9], 0.1, seed=2), edit([8], [0.9], 0.1, seed=2)
        self.assertEqual(len(self.failures([tie_a, other_a], [tie_b, other_b])), 1)

    def test_a_missing_edit_is_a_failure(self):
        self.assertEqual(len(self.failures([edit([3], [0.5], 0.2)], [])), 1)

    def test_accuracies_may_differ_by_rounding(self):
        self.assertEqual(self.failures([], [], result(), result((0.801, 0.9))), [])

    def test_accuracies_that_differ_more_are_a_failure(self):
        failures = self.failures([], [], result(), result((0.8, 0.91)))
        self.assertEqual(len(failures), 1)
        self.assertIn("accuracy, seed 2", failures[0])

    def test_accuracies_of_the_ticket_count(self):
        other = copy.deepcopy(result())
        other["ticket"]["accuracy"]["seeds"][0] = 0.6
        failures = self.failures([], [], result(), other)
        self.assertEqual(len(failures), 1)
        self.assertIn("ticket accuracy, seed 1", failures[0])

    def test_an_accuracy_that_is_missing_on_one_side_is_a_failure(self):
        other = copy.deepcopy(result())
        other["accuracy"]["seeds"][0] = None
        self.assertEqual(len(self.failures([], [], result(), other)), 1)

    def test_an_unfinished_run_is_an_error(self):
        with self.assertRaises(compare_runs.RunError):
            compare_runs.read_run(self.folder.name)

    def test_another_configuration_is_an_error(self):
        other = result() | {"config": {"method": "prune"}}
        with self.assertRaises(compare_runs.RunError):
            self.failures([], [], result(), other)


if __name__ == "__main__":
    unittest.main()
