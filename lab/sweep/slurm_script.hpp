// The batch script of a cell on a cluster: runs this program for the cell with the number of the task, and requeues the
// task before its time limit.
#pragma once

#include <string>
#include <vector>

namespace cambium {

// `words`: the program and its arguments; the number of the cell is appended.
std::string slurm_script(const std::vector<std::string>& words);

}  // namespace cambium
