// Random: a control. Recruits units in an order drawn from the seed.

#include "base/philox.hpp"
#include "plasticity/selection.hpp"

namespace cambium {
namespace {

void score(const ScoringContext& context, std::size_t hidden_layer, View<float> scores) {
  std::vector<float> values;
  const auto width = static_cast<std::uint32_t>(context.network.layout().architecture.hidden[hidden_layer]);
  for (const std::uint32_t seed : context.seeds)
    for (std::uint32_t unit = 0; unit < width; ++unit)
      values.push_back(philox::uniform(philox::word({{seed, philox::random_scores}}, unit,
                                                    static_cast<std::uint32_t>(hidden_layer), context.event)));
  upload(context.device, values, scores);
}

}  // namespace

SelectionRule random_rule() { return {.name = "random", .help = "chance", .score = score}; }

}  // namespace cambium
