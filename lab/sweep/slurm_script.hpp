// The batch script of a cell on a cluster: calls this program for the cell that has the task's number, and goes back
// into the queue when the time limit comes near.
#pragma once

#include <string>
#include <vector>

namespace cambium {

// `words`: the program and its arguments, which the cell's number follows.
std::string slurm_script(const std::vector<std::string>& words);

}  // namespace cambium
