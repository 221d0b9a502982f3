// The images on which an edit and its diagnostics evaluate: drawn from the task that begins after the event, and mapped
// as in that task.
#pragma once

#include "lab/config/config.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

// Rows of such a batch: as in training, but at most the images of the smallest task.
std::uint32_t event_rows(const RunConfig& config);

// The number of the task that begins after event number `event`, and the task itself for every seed.
std::int32_t task_after(const RunConfig& config, std::int32_t event);
std::vector<Task> tasks_after(const RunConfig& config, const Curriculum& curriculum, std::int32_t event);

// (R, amount) images of those tasks, without repetition within a seed.
std::vector<std::int32_t> event_images(const RunConfig& config, const Curriculum& curriculum, std::int32_t event,
                                       std::uint32_t amount, philox::Purpose purpose);

}  // namespace cambium
