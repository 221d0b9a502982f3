"""Tests of machine_code.py and sass.py: python3 tests/portability/machine_code_test.py"""

import pathlib
import tempfile
import unittest

import machine_code
import sass


def kernel(name="gemm_nn", registers=40, spill=0, stack=0, local_memory=8192, calls=False):
    return {
        "kernel": name,
        "registers": registers,
        "spill": spill,
        "stack": stack,
        "local_memory": local_memory,
        "simd": 32,
        "calls": calls,
    }


def result(*kernels, error=""):
    return {"unit": "sycl/gemm.sycl", "target": "sm_80", "files": [], "kernels": list(kernels), "error": error}


class Comparing(unittest.TestCase):
    def setUp(self):
        self.stored = machine_code.rows_of([result(kernel())])

    def failures(self, *results):
        found, self.notes = machine_code.compare(self.stored, list(results), ["sm_80"])
        return found

    def test_the_same_resources_pass(self):
        self.assertEqual(self.failures(result(kernel())), [])
        self.assertEqual(self.notes, [])

    def test_other_registers_are_noted_only(self):
        self.assertEqual(self.failures(result(kernel(registers=48))), [])
        self.assertIn("40 -> 48", self.notes[0])

    def test_a_new_spill_or_stack_fails(self):
        self.assertIn("spill grew from 0 to 8", self.failures(result(kernel(spill=8)))[0])
        self.assertIn("stack grew from 0 to 192", self.failures(result(kernel(stack=192)))[0])

    def test_a_stack_in_the_table_needs_a_reason(self):
        row = self.stored["sycl/gemm.sycl", "gemm_nn", "sm_80"]
        row["stack"] = 64
        self.assertIn("no reason", self.failures(result(kernel(stack=64)))[0])
        row["reason"] = "the driver's own"
        self.assertEqual(self.failures(result(kernel(stack=64))), [])
        self.assertEqual(self.failures(result(kernel(stack=32))), [], "less is fine")
        self.assertIn("grew", self.failures(result(kernel(stack=65)))[0])

    def test_a_call_fails(self):
        self.assertIn("not inlined", self.failures(result(kernel(calls=True)))[0])

    def test_too_much_local_memory_fails(self):
        self.assertIn("local memory", self.failures(result(kernel(local_memory=32769)))[0])

    def test_a_unit_that_does_not_build_fails_once(self):
        failures = self.failures(result(error="ptxas failed\nwith details"))
        self.assertEqual(len(failures), 1)
        self.assertIn("does not build: ptxas failed", failures[0])

    def test_kernels_that_are_new_or_gone_fail(self):
        failures = self.failures(result(kernel("gemm_tt")))
        self.assertIn("gemm_tt for sm_80 is not in the table", failures[0])
        self.assertIn("gemm_nn for sm_80 is in the table", failures[1])

    def test_the_table_is_read_as_it_was_written(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "table.csv"
            machine_code.write_table(file, self.stored)
            self.assertEqual(machine_code.read_table(file), self.stored)


class Sass(unittest.TestCase):
    code = """
.text.__sycl_kernel_f:
        /*0000*/                   LDG.E.128 R4, [R2.64] ;
.L_x_1:
        /*0010*/                   LDS.128 R8, [R1] ;
        /*0020*/                   FFMA R1, R2, R3, R1 ;
        /*0030*/                   FFMA R1, R2, R3, R1 ;
        /*0040*/              @P0  BRA `(.L_x_1) ;
        /*0050*/                   EXIT ;
"""

    def test_the_inner_loop_is_found_and_counted(self):
        (body,) = sass.parse_sass(self.code).values()
        loop = sass.count(sass.inner_loop(body))
        self.assertEqual((loop["FFMA"], loop["LDS.128"], loop["LDG.128"], loop["all"]), (2, 1, 0, 4))

    def test_occupancy_is_limited_by_registers_groups_and_memory(self):
        self.assertEqual(sass.occupancy(32, 256, 0, "sm_80"), 1.0)
        self.assertEqual(sass.occupancy(64, 256, 0, "sm_80"), 0.5)
        self.assertEqual(sass.occupancy(32, 32, 0, "sm_80"), 0.5)
        self.assertAlmostEqual(sass.occupancy(32, 256, 81 * 1024, "sm_80"), 0.25)

    def test_the_group_size_follows_from_the_definitions(self):
        self.assertEqual(sass.group_size("sycl/gemm.sycl [TILE_ROWS=16 TILE_COLUMNS=64 ROWS=2 COLUMNS=4]"), 128)
        self.assertEqual(sass.group_size("sycl/convolution.sycl [TILE_ROWS=64 TILE_COLUMNS=64]"), 256)
        self.assertEqual(sass.group_size("layers/activation.sycl"), 256)


if __name__ == "__main__":
    unittest.main()
