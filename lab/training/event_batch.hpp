// The images that an edit and its diagnostics look at: drawn from the task that begins after the event, and seen as
// that task shows them.
#pragma once

#include "lab/config/config.hpp"
#include "streams/curriculum.hpp"

namespace cambium {

// Rows of such a batch: those of training, or all images of the smallest task.
std::uint32_t event_rows(const RunConfig& config);

// The number of the task that begins after event number `event`, and that task of every seed.
std::int32_t task_after(const RunConfig& config, std::int32_t event);
std::vector<Task> tasks_after(const RunConfig& config, const Curriculum& curriculum, std::int32_t event);

// (R, amount) images of them, none of a seed twice.
std::vector<std::int32_t> event_images(const RunConfig& config, const Curriculum& curriculum, std::int32_t event,
                                       std::uint32_t amount, philox::Purpose purpose);

}  // namespace cambium
