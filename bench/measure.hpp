// Timing: warm-up, samples long enough for the clock, alternating candidates, median and spread.
//
// Timings fluctuate, so candidates that are compared are measured alternately in one run, and their ratio is used.
#pragma once

#include <functional>
#include <span>
#include <vector>

namespace cambium::bench {

// Seconds per call.
struct Timing {
  double median = 0, lowest = 0, highest = 0;
  int samples = 0;
};

// Makes `calls` calls and returns when they have run.
using Candidate = std::function<void(int calls)>;

struct Effort {
  int samples = 7;
  double seconds_per_sample = 0.003;
};

std::vector<Timing> measure_alternately(std::span<const Candidate> candidates, const Effort& effort = {});
Timing measure(const Candidate& candidate, const Effort& effort = {});

Timing summarise(std::vector<double> seconds_per_call);

}  // namespace cambium::bench
