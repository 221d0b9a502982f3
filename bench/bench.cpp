// Functions that the benchmarks share: choice of backends, peak performance, tables and JSON.

#include "bench/bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/philox.hpp"
#include "sycl/gemm.hpp"

namespace cambium::bench {

std::vector<std::string> select_backends(const std::vector<BackendStatus>& available,
                                         const std::vector<std::string>& requested, const std::string& operation) {
  std::vector<std::string> usable, chosen;
  for (const auto& backend : available)
    if (backend.why_not.empty()) usable.push_back(backend.name);
  for (const auto& name : requested)
    if (std::find(usable.begin(), usable.end(), name) == usable.end())
      throw_input_error("--backend {}: not a {} backend of this device. Known: {}", name, operation,
                        fmt::join(usable, ", "));
  for (const auto& name : usable)
    if (requested.empty() || std::find(requested.begin(), requested.end(), name) != requested.end())
      chosen.push_back(name);
  return chosen;
}

double measured_peak(Device& device) {
  constexpr int n = 1536;
  device.use_gemm_backend("");
  Buffer<float> a(device, n * n), b(device, n * n), c(device, n * n);
  a.clear(), b.clear(), c.clear();
  const Matrices<float> ma(a, 1, n, n), mb(b, 1, n, n), mc(c, 1, n, n);
  const auto timing = measure([&](int calls) {
    for (int i = 0; i < calls; ++i) cambium::gemm(device, Transpose::no, Transpose::no, 1.0f, ma, mb, 0.0f, mc);
    device.wait();
  });
  return 2.0 * n * n * n / timing.lowest * 1e-9;
}

nlohmann::json to_json(const Timing& timing) {
  return {{"median_us", timing.median * 1e6},
          {"lowest_us", timing.lowest * 1e6},
          {"highest_us", timing.highest * 1e6},
          {"samples", timing.samples}};
}

void print_header(const std::vector<std::string>& columns) {
  fmt::print("\n{:<52}", "shape");
  for (const auto& column : columns) fmt::print(" {:>16}", column);
}

void print_rates(const std::string& shape, double flops, const std::vector<double>& seconds, double peak) {
  fmt::print("{:<52}", shape);
  for (const double s : seconds) fmt::print(" {:>8.1f} ({:>4.0f}%)", flops / s * 1e-9, flops / s * 1e-7 / peak);
}

Images noise_images(const ImageShape& shape, std::int32_t classes, std::int32_t count) {
  Images images{count, shape.height, shape.width, shape.channels, {}, {}};
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count * shape.size()); ++i)
    images.pixels.push_back(static_cast<std::uint8_t>(philox::word({{1, 1}}, i)));
  for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(count); ++i)
    images.labels.push_back(
        static_cast<std::uint8_t>(philox::below(philox::word({{1, 2}}, i), static_cast<std::uint32_t>(classes))));
  return images;
}

}  // namespace cambium::bench
