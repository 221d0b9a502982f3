// The result files of a stream of tasks: tasks.csv with a row per task and seed, matrix.csv with a row per task, seed
// and earlier task, and online.npy with a number per step and seed.
#pragma once

#include <span>
#include <string>

#include "lab/config/config.hpp"
#include "lab/results/task_scores.hpp"

namespace cambium {

std::string task_table_header(const Architecture& architecture);
// `online`: (R, OnlineSums::size) as in PhaseScores. `evaluation` may be null; its columns are then empty.
std::string task_table_rows(const RunConfig& config, const char* phase, std::int32_t task,
                            std::span<const double> online, const TaskEvaluation* evaluation,
                            const Structure& structure);

std::string matrix_header();
std::string matrix_rows(const RunConfig& config, const char* phase, std::int32_t task,
                        const TaskEvaluation& evaluation);

// online.npy, a NumPy file (step numbers, R): how many images of a step's batch each network classified correctly
// before the update; the largest number of the type if a seed took no such step. Bytes if a batch is small enough, else
// 16 bits.
std::string online_header(const RunConfig& config);
// `correct`: (steps, R); negative: no step.
std::string online_rows(const RunConfig& config, std::span<const std::int32_t> correct);

}  // namespace cambium
