// Measures the tiles of the portable kernels on every product of both networks and keeps the fastest.

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/bench.hpp"
#include "bench/products.hpp"
#include "sycl/tuning.hpp"

namespace cambium::bench {
namespace {

// A tile replaces the default only if it is faster by this factor; smaller differences are noise.
constexpr double least_gain = 1.03;

class Tuner {
 public:
  Tuner(Device& device, const Effort& effort) : device_(device), effort_(effort) {
    device.tuning() = Tuning();
    fmt::print("{:<72}{:>10}{:>10}{:>10}{:>10}{:>7}\n", "product", "default", "us", "fastest", "us", "gain");
  }

  // `run` enqueues one product, in one or more launches of which one chooses a tile.
  template <class Run>
  void add(const std::string& name, Run&& run) {
    std::vector<Tuning::Decision> decisions;
    device_.tuning().log_to(&decisions);
    run();
    device_.wait();
    device_.tuning().log_to(nullptr);
    for (const auto& decision : decisions)
      if (decision.tiles.size() > 1 && seen_.insert(decision.product.rounded()).second) measure(name, decision, run);
  }

  nlohmann::json finish() const {
    if (default_seconds_ > 0)
      fmt::print("\n{} products measured; {} get another tile than the default: {:.2f} x the speed over all of them\n",
                 seen_.size(), device_.tuning().size(), default_seconds_ / tuned_seconds_);
    return {{"products", products_},
            {"changed", device_.tuning().size()},
            {"gain", default_seconds_ > 0 ? default_seconds_ / tuned_seconds_ : 1.0}};
  }

 private:
  template <class Run>
  void measure(const std::string& name, const Tuning::Decision& decision, Run& run) {
    Tuning& tuning = device_.tuning();
    std::vector<Candidate> candidates;
    for (const auto& tile : decision.tiles)
      candidates.push_back([&, tile](int calls) {
        tuning.set(decision.product, tile);
        for (int i = 0; i < calls; ++i) run();
        device_.wait();
      });
    const auto timings = measure_alternately(candidates, effort_);
    const auto seconds = [&](std::size_t i) { return timings[i].median; };
    const auto standard = static_cast<std::size_t>(decision.chosen);
    std::size_t best = standard;
    for (std::size_t i = 0; i < timings.size(); ++i)
      if (seconds(i) < seconds(best)) best = i;
    if (seconds(standard) < least_gain * seconds(best)) best = standard;
    if (best == standard)
      tuning.remove(decision.product);
    else
      tuning.set(decision.product, decision.tiles[best]);

    const auto text = [&](std::size_t i) {
      return fmt::format("{}x{}", decision.tiles[i].rows, decision.tiles[i].columns);
    };
    default_seconds_ += seconds(standard), tuned_seconds_ += seconds(best);
    fmt::print("{:<72}{:>10}{:>10.1f}{:>10}{:>10.1f}{:>7.2f}\n", name, text(standard), seconds(standard) * 1e6,
               text(best), seconds(best) * 1e6, seconds(standard) / seconds(best));
    std::fflush(stdout);
    nlohmann::json tiles;
    for (std::size_t i = 0; i < timings.size(); ++i) tiles[text(i)] = to_json(timings[i]);
    products_.push_back({{"product", name}, {"default", text(standard)}, {"chosen", text(best)}, {"tiles", tiles}});
  }

  Device& device_;
  Effort effort_;
  std::set<TunedProduct> seen_;
  double default_seconds_ = 0, tuned_seconds_ = 0;
  nlohmann::json products_ = nlohmann::json::array();
};

}  // namespace

nlohmann::json tune(Device& device, const Options& options) {
  device.use_gemm_backend("portable");
  device.use_convolution_backend("portable");
  Tuner tuner(device, options.effort);
  for (const int replicas : options.replicas)
    for (const int batch : options.batches) {
      const auto conditions = fmt::format("batch {}, {} replica{}", batch, replicas, replicas == 1 ? "" : "s");
      for (const auto& network : product_networks())
        for (const auto& product : products(network, batch)) {
          ProductCall call(device, product, replicas);
          tuner.add(fmt::format("{} {} {}, {}", network.name, product.layer, product.pass, conditions),
                    [&] { call.run(); });
        }
      for (const auto& layer : convolution_layers()) {
        ConvolutionCall call(device, layer.shape(replicas, batch));
        for (const auto& [pass, pass_name] : convolution_passes)
          if (pass != ConvolutionPass::backward_data || layer.gradient_of_input)
            tuner.add(fmt::format("ConvNet {} {}, {}", layer.name, pass_name, conditions),
                      [&, pass = pass] { call.run(pass); });
      }
    }
  return tuner.finish();
}

}  // namespace cambium::bench
