// What a run on a stream of tasks records at the end of a task: a row per seed of tasks.csv, a row per seed and earlier
// task of matrix.csv, and a number per step and seed of online.npy.
#pragma once

#include <span>
#include <string>

#include "lab/config/config.hpp"
#include "lab/results/task_scores.hpp"
#include "lab/training/examiner.hpp"

namespace cambium {

std::string task_table_header(const Architecture& architecture);
// `online`: (R, OnlineSums::size) as in PhaseScores. Without an examination those columns are empty.
std::string task_table_rows(const RunConfig& config, const char* phase, std::int32_t task,
                            std::span<const double> online, const TaskEvaluation* examination, const Structure& structure);

std::string matrix_header();
std::string matrix_rows(const RunConfig& config, const char* phase, std::int32_t task, const TaskEvaluation& examination);

// online.npy: how many images of every step's batch each network had right before the update, (step numbers, R), for
// NumPy to load; the largest number of its type where a seed had no step. Bytes, where they can count a batch.
std::string online_header(const RunConfig& config);
// `right`: (steps, R), negative for no step.
std::string online_rows(const RunConfig& config, std::span<const std::int32_t> right);

}  // namespace cambium
