// make_sweep FILE full|quick FOLDER [light]: generates the results of an experiment, to try and time reports without
// running it. `light` omits the tables of the runs.

#include <fmt/format.h>

#include "base/error.hpp"
#include "tests/lab/report/made_sweep.hpp"

int main(int argc, char** argv) {
  using namespace cambium;
  if (argc < 4) return fmt::print(stderr, "make_sweep FILE full|quick FOLDER [light]\n"), exit_input;
  try {
    make_sweep(read_experiment(argv[1], parse_scale(argv[2])), SweepFolder(argv[3]), {.tables = argc == 4});
  } catch (const InputError& wrong) {
    return fmt::print(stderr, "{}\n", wrong.what()), exit_input;
  }
}
