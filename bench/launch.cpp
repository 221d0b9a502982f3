// Cost of single commands on the device's queue.

#include <fmt/format.h>

#include "bench/bench.hpp"
#include "lab/training/kernel_units.hpp"
#include "layers/activation.hpp"
#include "sycl/gemm.hpp"

namespace cambium::bench {
namespace {

struct Row {
  std::string name;
  Candidate candidate;
};

}  // namespace

nlohmann::json launch(Device& device, const Options& options) {
  const auto units = all_kernel_units();
  const auto build_seconds = [&](bool cache) {
    KernelLibrary library(device, cache);
    library.build_all(units);
    return library.statistics().seconds;
  };
  const double cold = build_seconds(false);
  build_seconds(true);  // fills the cache
  const double warm = build_seconds(true);

  Buffer<float> small(device, 64), large(device, 256 * 256), matrix(device, 16);
  const auto activation = [&](View<float> values, std::uint32_t rows, std::uint32_t units) {
    return [&device, values, rows, units](bool wait_each) {
      return [=, &device](int calls) {
        for (int i = 0; i < calls; ++i) {
          activation_forward(device, {}, {1, rows, units}, {}, values, {}, {}, values);
          if (wait_each) device.wait();
        }
        device.wait();
      };
    };
  };
  const auto tiny = activation(small, 1, 64), layer = activation(large, 256, 256);
  const auto product = [&](const std::string& backend) {
    return [&device, &matrix, backend](int calls) {
      device.use_gemm_backend(backend);
      const Matrices<float> m(matrix, 1, 4, 4);
      for (int i = 0; i < calls; ++i) cambium::gemm(device, Transpose::no, Transpose::no, 1.0f, m, m, 0.0f, m);
      device.wait();
    };
  };

  std::vector<Row> rows{{"kernel of 64 items, chained", tiny(false)},
                        {"kernel of 64 items, with a wait each", tiny(true)},
                        {"kernel of 256 x 256 items, chained", layer(false)},
                        {"kernel of 256 x 256 items, with a wait each", layer(true)}};
  for (const auto& backend : select_backends(device.info().gemm, options.backends, "GEMM"))
    rows.push_back({fmt::format("4 x 4 x 4 product, {}, chained", backend), product(backend)});

  std::vector<Candidate> candidates;
  for (const auto& row : rows) candidates.push_back(row.candidate);
  const auto timings = measure_alternately(candidates, options.effort);
  device.use_gemm_backend("");

  nlohmann::json result;
  fmt::print("{:<44} {:>10} {:>18}\n", "command", "median us", "spread");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    fmt::print("{:<44} {:>10.1f} {:>8.1f} .. {:>6.1f}\n", rows[i].name, timings[i].median * 1e6,
               timings[i].lowest * 1e6, timings[i].highest * 1e6);
    result["commands"][rows[i].name] = to_json(timings[i]);
  }
  fmt::print("\nkernel library, {} units: {:.2f} s compiled, {:.3f} s from the cache\n", units.size(), cold, warm);
  result["kernel_library"] = {{"units", units.size()}, {"compiled_s", cold}, {"cached_s", warm}};
  return result;
}

}  // namespace cambium::bench
