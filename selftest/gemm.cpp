// Conformance checks of the matrix product, for each backend.

#include "sycl/gemm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "selftest/conformance.hpp"
#include "sycl/gemm_portable.hpp"

namespace cambium::conformance {
namespace {

struct Shape {
  std::int64_t replicas, m, n, k;
  std::int64_t padding = 0;  // extra columns between rows, extra elements between replicas
  bool shared_a = false;     // one A for all replicas
  float alpha = 1.0f, beta = 0.0f;
};

const Shape shapes[] = {
    {1, 1, 1, 1},
    {2, 1, 5, 3},
    {3, 5, 1, 7},
    {2, 3, 4, 1, 0, false, -0.5f, 1.0f},
    {2, 3, 4, 0, 0, false, 1.0f, 0.5f},
    {1, 3, 4, 0},
    {0, 3, 4, 5},
    {1, 0, 4, 5},
    {1, 4, 0, 5},
    {3, 16, 51, 51, 0, false, 1.0f, 1.0f},
    {2, 17, 33, 65, 3, false, 0.75f, -1.25f},
    {4, 16, 10, 51, 0, true},
    {2, 31, 130, 70, 5, true, -0.01f, 1.0f},
    {1, 64, 256, 784},
    {1, 784, 51, 16, 0, false, -0.01f, 1.0f},
    {2, 100, 300, 129},
    {1, 128, 102, 4096},
};

void run_case(Device& device, const Shape& s, Transpose ta, Transpose tb, std::uint32_t seed, CheckResult& outcome) {
  const bool transpose_a = ta == Transpose::yes, transpose_b = tb == Transpose::yes;
  const auto place = [&](std::int64_t rows, std::int64_t columns, bool shared) {
    Matrices<float> matrices({}, s.replicas, rows, columns);
    matrices.leading += s.padding;
    matrices.stride = shared ? 0 : rows * matrices.leading + s.padding;
    return matrices;
  };
  auto a = place(transpose_a ? s.k : s.m, transpose_a ? s.m : s.k, s.shared_a);
  auto b = place(transpose_b ? s.n : s.k, transpose_b ? s.k : s.n, false);
  auto c = place(s.m, s.n, false);
  const auto host_a = random_values(static_cast<std::size_t>(a.extent()), seed, 1);
  const auto host_b = random_values(static_cast<std::size_t>(b.extent()), seed, 2);
  auto host_c = random_values(static_cast<std::size_t>(c.extent()), seed, 3);
  // With beta = 0, the old values of C must not matter.
  const auto old_c = host_c;
  if (s.beta == 0)
    for (auto& value : host_c) value = std::numeric_limits<float>::quiet_NaN();
  Buffer<float> device_a(device, host_a), device_b(device, host_b), device_c(device, host_c);
  a.data = device_a, b.data = device_b, c.data = device_c;
  gemm(device, ta, tb, s.alpha, a, b, s.beta, c);
  const auto result = device_c.download();

  const auto where = fmt::format("{} x {}x{}x{} {}{} alpha {} beta {} padding {}{}", s.replicas, s.m, s.n, s.k,
                                 transpose_a ? "T" : "N", transpose_b ? "T" : "N", s.alpha, s.beta, s.padding,
                                 s.shared_a ? " shared A" : "");
  for (std::int64_t r = 0; r < s.replicas; ++r)
    for (std::int64_t i = 0; i < s.m; ++i)
      for (std::int64_t j = 0; j < s.n; ++j) {
        double sum = 0, scale = 0;
        for (std::int64_t l = 0; l < s.k; ++l) {
          const double left = host_a[r * a.stride + (transpose_a ? l * a.leading + i : i * a.leading + l)];
          const double right = host_b[r * b.stride + (transpose_b ? j * b.leading + l : l * b.leading + j)];
          sum += left * right;
          scale += std::abs(left * right);
        }
        const auto at = static_cast<std::size_t>(r * c.stride + i * c.leading + j);
        const double old = s.beta == 0 ? 0.0 : static_cast<double>(s.beta) * old_c[at];
        outcome.record(result[at], s.alpha * sum + old, std::abs(s.alpha) * scale + std::abs(old), where);
      }
  // Elements between the rows and the replicas keep their bits.
  for (std::int64_t r = 0; r < s.replicas; ++r)
    for (std::int64_t i = 0; i + 1 < s.m; ++i)
      for (std::int64_t j = s.n; j < c.leading; ++j) {
        const auto at = static_cast<std::size_t>(r * c.stride + i * c.leading + j);
        if (std::memcmp(&result[at], &host_c[at], sizeof(float)) != 0)
          outcome.record(std::numeric_limits<double>::infinity(), 0, 1, where + " wrote outside of the matrix");
      }
  ++outcome.cases;
}

CheckResult accuracy(Device& device, const Settings& settings) {
  CheckResult outcome{.tolerance = 4e-6};
  for (const auto seed : settings.seeds)
    for (const auto& shape : shapes)
      for (const auto ta : {Transpose::no, Transpose::yes})
        for (const auto tb : {Transpose::no, Transpose::yes}) run_case(device, shape, ta, tb, seed, outcome);
  return outcome;
}

// A replica gets the same bits alone as together with others.
CheckResult neighbours(Device& device, const Settings& settings) {
  CheckResult outcome{.tolerance = 0};
  for (const auto seed : settings.seeds)
    for (const auto& [m, n, k] :
         {std::array{16, 51, 784}, {16, 256, 784}, {64, 256, 256}, {256, 51, 51}, {784, 51, 16}}) {
      constexpr int replicas = 5;
      const auto host_a = random_values(static_cast<std::size_t>(replicas * m * k), seed, 1);
      const auto host_b = random_values(static_cast<std::size_t>(replicas * k * n), seed, 2);
      Buffer<float> a(device, host_a), b(device, host_b);
      Buffer<float> together(device, static_cast<std::size_t>(replicas * m * n)),
          alone(device, static_cast<std::size_t>(m * n));
      gemm(device, Transpose::no, Transpose::no, 1.0f, {a, replicas, m, k}, {b, replicas, k, n}, 0.0f,
           {together, replicas, m, n});
      const auto all = together.download();
      for (int r = 0; r < replicas; ++r) {
        const auto of = [r](std::size_t size) { return static_cast<std::size_t>(r) * size; };
        const auto mk = static_cast<std::size_t>(m * k), kn = static_cast<std::size_t>(k * n),
                   mn = static_cast<std::size_t>(m * n);
        gemm(device, Transpose::no, Transpose::no, 1.0f, {a.view().slice(of(mk), mk), 1, m, k},
             {b.view().slice(of(kn), kn), 1, k, n}, 0.0f, {alone, 1, m, n});
        const auto single = alone.download();
        for (std::size_t i = 0; i < mn; ++i)
          outcome.record(all[of(mn) + i], single[i], 1, fmt::format("replica {} of {}x{}x{}", r, m, n, k));
        ++outcome.cases;
      }
    }
  return outcome;
}

// Every tiling gives the same bits.
CheckResult tilings(Device& device, const Settings& settings) {
  CheckResult outcome{.tolerance = 0};
  for (const auto seed : settings.seeds)
    for (const auto& [m, n, k] : {std::array{16, 51, 784}, {70, 66, 130}, {130, 70, 1600}})
      for (const auto ta : {Transpose::no, Transpose::yes})
        for (const auto tb : {Transpose::no, Transpose::yes}) {
          const auto host_a = random_values(static_cast<std::size_t>(2 * m * k), seed, 1);
          const auto host_b = random_values(static_cast<std::size_t>(2 * k * n), seed, 2);
          Buffer<float> a(device, host_a), b(device, host_b), c(device, static_cast<std::size_t>(2 * m * n));
          const bool is_ta = ta == Transpose::yes, is_tb = tb == Transpose::yes;
          std::vector<float> first;
          for (int tiling = 0; tiling < static_cast<int>(gemm_tilings.size()); ++tiling) {
            device.use_gemm_backend(make_portable_gemm(device, tiling));
            gemm(device, ta, tb, 0.5f, {a, 2, is_ta ? k : m, is_ta ? m : k}, {b, 2, is_tb ? n : k, is_tb ? k : n}, 0.0f,
                 {c, 2, m, n});
            const auto result = c.download();
            if (tiling == 0) first = result;
            for (std::size_t i = 0; i < result.size(); ++i)
              outcome.record(result[i], first[i], 1, fmt::format("tiling {} of {}x{}x{}", tiling, m, n, k));
          }
          ++outcome.cases;
        }
  return outcome;
}

// Bias, ReLU and mask, against the plain product of the same backend.
CheckResult epilogues(Device& device, const Settings& settings) {
  CheckResult outcome{.tolerance = 1e-6};
  for (const auto seed : settings.seeds)
    for (const auto& [m, n, k] : {std::array{5, 7, 3}, {64, 52, 100}, {16, 256, 784}}) {
      constexpr int replicas = 2;
      const int stride = n + 3;  // of bias and mask
      const auto host_a = random_values(static_cast<std::size_t>(replicas * m * k), seed, 1);
      const auto host_b = random_values(static_cast<std::size_t>(replicas * k * n), seed, 2);
      const auto bias = random_values(static_cast<std::size_t>(replicas * stride), seed, 3);
      auto mask = random_values(static_cast<std::size_t>(replicas * stride), seed, 4);
      for (auto& value : mask) value = value > 0 ? 1.0f : 0.0f;
      Buffer<float> a(device, host_a), b(device, host_b), device_bias(device, bias), device_mask(device, mask),
          plain(device, static_cast<std::size_t>(replicas * m * n)),
          fused(device, static_cast<std::size_t>(replicas * m * n));
      gemm(device, Transpose::no, Transpose::no, 1.0f, {a, replicas, m, k}, {b, replicas, k, n}, 0.0f,
           {plain, replicas, m, n});
      const auto sums = plain.download();
      for (const bool relu : {false, true})
        for (const bool masked : {false, true}) {
          gemm(device, Transpose::no, Transpose::no, 1.0f, {a, replicas, m, k}, {b, replicas, k, n}, 0.0f,
               {fused, replicas, m, n}, {device_bias, masked ? device_mask.view() : View<const float>(), stride, relu});
          const auto result = fused.download();
          for (std::size_t i = 0; i < result.size(); ++i) {
            const std::size_t unit = i / static_cast<std::size_t>(m * n) * static_cast<std::size_t>(stride) +
                                     i % static_cast<std::size_t>(n);
            double expected = double{sums[i]} + bias[unit];
            if (relu) expected = std::max(expected, 0.0);
            if (masked) expected *= mask[unit];
            outcome.record(result[i], expected, std::abs(sums[i]) + std::abs(bias[unit]),
                           fmt::format("{}x{}x{} relu {} mask {}", m, n, k, relu, masked));
          }
          ++outcome.cases;
        }
    }
  return outcome;
}

using GemmCheck = CheckResult (*)(Device&, const Settings&);

// The check with a backend.
template <class Choose>
auto with_backend(Choose&& choose, GemmCheck check) {
  return [choose, check](Device& device, const Settings& settings) {
    choose(device);
    return check(device, settings);
  };
}

}  // namespace

std::vector<Check> gemm_checks(const DeviceInfo& device) {
  std::vector<Check> checks;
  for (const auto& backend : device.gemm) {
    if (!backend.why_not.empty()) continue;
    const auto choose = [name = backend.name](Device& device) { device.use_gemm_backend(name); };
    checks.push_back({"gemm", backend.name, with_backend(choose, accuracy)});
    checks.push_back({"gemm, one replica alone", backend.name, with_backend(choose, neighbours)});
    if (backend.name == "portable") checks.push_back({"gemm epilogue", backend.name, with_backend(choose, epilogues)});
  }
  const auto portable = [](Device& device) { device.use_gemm_backend("portable"); };
  checks.push_back(with_other_kernels({"gemm", "portable", with_backend(portable, accuracy)}, device));
  checks.push_back(
      with_other_kernels({"gemm, one replica alone", "portable", with_backend(portable, neighbours)}, device));
  checks.push_back(with_other_kernels({"gemm epilogue", "portable", with_backend(portable, epilogues)}, device));
  checks.push_back({"gemm, bits of all tilings", "portable", with_backend([](Device&) {}, tilings)});
  return checks;
}

}  // namespace cambium::conformance
