// What a report says of a table or figure of the study: its figures beside ours, and its claims; and of other
// experiments, one sentence where there is one.
#pragma once

#include <string>

#include "lab/study/study.hpp"

namespace cambium {

// HTML; empty where there is nothing to say.
std::string study_section(const Experiment& experiment, const SweepFolder& folder);

}  // namespace cambium
