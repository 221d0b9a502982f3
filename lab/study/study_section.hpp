// The section of a report about a table or figure of the study: printed values compared with ours, and claims. For
// other experiments, the conclusion if there is one.
#pragma once

#include <string>

#include "lab/study/study.hpp"

namespace cambium {

// HTML; may be empty.
std::string study_section(const Experiment& experiment, const SweepFolder& folder);

}  // namespace cambium
