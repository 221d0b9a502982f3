#include "bench/measure.hpp"

#include <algorithm>
#include <chrono>

namespace cambium::bench {
namespace {

double seconds_for(const Candidate& candidate, int calls) {
  const auto start = std::chrono::steady_clock::now();
  candidate(calls);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Doubles the number of calls until they last long enough. This is also the warm-up.
int calls_per_sample(const Candidate& candidate, double seconds) {
  candidate(1);
  int calls = 1;
  while (calls < (1 << 20)) {
    const double lasted = seconds_for(candidate, calls);
    if (lasted >= seconds) break;
    calls = std::max(2 * calls, static_cast<int>(calls * std::min(10.0, seconds / std::max(lasted, 1e-7))));
  }
  return calls;
}

}  // namespace

Timing summarise(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return {samples[samples.size() / 2], samples.front(), samples.back(), static_cast<int>(samples.size())};
}

std::vector<Timing> measure_alternately(std::span<const Candidate> candidates, const Effort& effort) {
  std::vector<int> calls;
  for (const auto& candidate : candidates) calls.push_back(calls_per_sample(candidate, effort.seconds_per_sample));
  std::vector<std::vector<double>> samples(candidates.size());
  for (int sample = 0; sample < effort.samples; ++sample)
    for (std::size_t i = 0; i < candidates.size(); ++i)
      samples[i].push_back(seconds_for(candidates[i], calls[i]) / calls[i]);
  std::vector<Timing> timings;
  for (auto& values : samples) timings.push_back(summarise(std::move(values)));
  return timings;
}

Timing measure(const Candidate& candidate, const Effort& effort) {
  return measure_alternately(std::span(&candidate, 1), effort).front();
}

}  // namespace cambium::bench
