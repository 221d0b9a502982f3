// The matrix products of both networks, per backend, beside oneMKL called without Cambium.

#include "sycl/gemm.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/bench.hpp"
#include "bench/direct_gemm.hpp"

namespace cambium::bench {
namespace {

struct Product {
  std::string layer, pass;
  Transpose transpose_a, transpose_b;
  int m, n, k;

  double flops() const { return 2.0 * m * n * k; }
};

struct Network {
  std::string name;
  std::vector<int> widths;  // from the input of the first fully connected layer to the logits
  bool gradient_of_input;   // whether something trainable lies before that input
};

const Network networks[] = {{"MLP dense", {784, 256, 256, 10}, false},
                            {"MLP 20 % compact", {784, 51, 51, 10}, false},
                            {"ConvNet head dense", {4096, 512, 512, 256, 100}, true},
                            {"ConvNet head 20 % compact", {4096, 102, 102, 51, 100}, true}};

// Forward x W, gradient of the input d W^T, gradient of the weights x^T d, with W (inputs, units).
std::vector<Product> products(const Network& network, int batch) {
  std::vector<Product> all;
  for (std::size_t l = 0; l + 1 < network.widths.size(); ++l) {
    const auto layer = fmt::format("fc{}", l + 1);
    const int inputs = network.widths[l], units = network.widths[l + 1];
    all.push_back({layer, "forward", Transpose::no, Transpose::no, batch, units, inputs});
    if (l > 0 || network.gradient_of_input)
      all.push_back({layer, "input gradient", Transpose::no, Transpose::yes, batch, inputs, units});
    all.push_back({layer, "weight gradient", Transpose::yes, Transpose::no, inputs, units, batch});
  }
  return all;
}

std::vector<Timing> time_product(Device& device, const Product& p, int replicas,
                                 const std::vector<std::string>& backends, DirectGemm& direct, const Options& options) {
  const bool ta = p.transpose_a == Transpose::yes, tb = p.transpose_b == Transpose::yes;
  const auto size = [&](int rows, int columns) { return static_cast<std::size_t>(replicas) * rows * columns; };
  Buffer<float> a(device, size(p.m, p.k)), b(device, size(p.k, p.n)), c(device, size(p.m, p.n));
  a.clear(), b.clear(), c.clear();
  const Matrices<float> ma(a, replicas, ta ? p.k : p.m, ta ? p.m : p.k),
      mb(b, replicas, tb ? p.n : p.k, tb ? p.k : p.n), mc(c, replicas, p.m, p.n);
  std::vector<Candidate> candidates;
  for (const auto& backend : backends)
    candidates.push_back([&, backend](int calls) {
      device.use_gemm_backend(backend);
      for (int i = 0; i < calls; ++i) cambium::gemm(device, p.transpose_a, p.transpose_b, 1.0f, ma, mb, 0.0f, mc);
      device.wait();
    });
  if (direct.available())
    candidates.push_back([&](int calls) { direct.run({ta, tb, p.m, p.n, p.k, replicas}, calls); });
  return measure_alternately(candidates, options.effort);
}

}  // namespace

nlohmann::json gemm(Device& device, const Options& options) {
  const auto backends = select_backends(device.info().gemm, options.backends, "GEMM");
  DirectGemm direct(device.info().is_cpu());
  auto columns = backends;
  if (direct.available()) columns.push_back("direct");

  const double peak = measured_peak(device);
  nlohmann::json result{{"peak_gflops", peak}};
  fmt::print("peak (1536 x 1536 x 1536, {}): {:.0f} GFLOP/s; GFLOP/s below, % of that peak in brackets\n",
             device.gemm().name(), peak);
  if (direct.available()) fmt::print("direct: cblas_sgemm of multi-threaded oneMKL, in a process of its own\n");
  print_header(columns);
  fmt::print("\n");

  // native against direct: how many shapes are both slower than 0.9 x and later by more than 10 us, and the worst of
  // all.
  struct {
    int shapes = 0, slow = 0;
    double largest_delay = -1e9;
    std::string largest_delay_shape;
  } versus;
  const auto print_row = [&](const std::string& name, double flops, const std::vector<double>& seconds) {
    print_rates(name, flops, seconds, peak);
    fmt::print("\n");
  };

  const auto run = [&](const std::string& name, const std::vector<Product>& all, int batch, int replicas) {
    std::vector<double> total(columns.size());
    double total_flops = 0;
    for (const auto& p : all) {
      const auto timings = time_product(device, p, replicas, backends, direct, options);
      const auto shape = fmt::format("{}, batch {}, {} replicas, {} {}: {}x{}x{}", name, batch, replicas, p.layer,
                                     p.pass, p.m, p.n, p.k);
      nlohmann::json entry{{"network", name},  {"batch", batch}, {"replicas", replicas},
                           {"layer", p.layer}, {"pass", p.pass}, {"m", p.m},
                           {"n", p.n},         {"k", p.k}};
      std::vector<double> seconds;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        seconds.push_back(timings[i].median);
        total[i] += timings[i].median;
        entry["backends"][columns[i]] = to_json(timings[i]);
        entry["backends"][columns[i]]["gflops"] = replicas * p.flops() / timings[i].median * 1e-9;
      }
      total_flops += replicas * p.flops();
      if (options.every_shape)
        print_row(fmt::format("  {} b{} r{} {} {} {}x{}x{}", name, batch, replicas, p.layer, p.pass, p.m, p.n, p.k),
                  replicas * p.flops(), seconds);
      if (direct.available() && backends.front() == "native") {
        const double native = timings.front().lowest, direct_time = timings.back().lowest;
        const double delay = native - direct_time;
        ++versus.shapes;
        versus.slow += direct_time / native < 0.9 && delay > 10e-6;
        if (delay / replicas > versus.largest_delay) {
          versus.largest_delay = delay / replicas;
          versus.largest_delay_shape = fmt::format("{}, {:.2f} x its rate", shape, direct_time / native);
        }
      }
      result["shapes"].push_back(std::move(entry));
    }
    print_row(fmt::format("{}, batch {}, {} replica{}", name, batch, replicas, replicas == 1 ? "" : "s"), total_flops,
              total);
    return total;
  };

  for (const auto& network : networks)
    for (const int replicas : options.replicas)
      for (const int batch : options.batches) run(network.name, products(network, batch), batch, replicas);
  const auto cube = run("512 x 512 x 512", {{"-", "product", Transpose::no, Transpose::no, 512, 512, 512}}, 512, 1);

  if (versus.shapes > 0) {
    fmt::print(
        "\nnative against direct, best of {} samples each: {} of {} shapes are below 0.9 x its rate and more than "
        "10 us later;\nlargest delay per product {:+.1f} us ({})\n",
        options.effort.samples, versus.slow, versus.shapes, versus.largest_delay * 1e6, versus.largest_delay_shape);
    result["native_vs_direct"] = {{"shapes", versus.shapes},
                                  {"slow", versus.slow},
                                  {"largest_delay_us", versus.largest_delay * 1e6},
                                  {"largest_delay_shape", versus.largest_delay_shape}};
  }
  const auto index = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(backends.begin(), backends.end(), name) - backends.begin());
  };
  if (index("portable") < backends.size() && index("native") < backends.size())
    fmt::print("portable at 512 x 512 x 512: {:.2f} x native\n", cube[index("native")] / cube[index("portable")]);
  device.use_gemm_backend("");
  return result;
}

}  // namespace cambium::bench
