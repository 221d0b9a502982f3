// The benchmarks behind `cambium bench`: each prints a table and returns the same figures as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/measure.hpp"
#include "layers/architecture.hpp"
#include "streams/data/images.hpp"
#include "sycl/device.hpp"

namespace cambium::bench {

struct Options {
  std::vector<std::string> backends;                            // empty: all that run on the device
  std::vector<int> batches{16, 64, 128, 256}, replicas{1, 10};  // of the shapes
  bool every_shape = false;                                     // one line per shape, not only one for their sum
  Effort effort;
};

struct StepOptions {
  std::vector<std::string> networks{"mlp", "convnet"}, optimizers{"sgd", "adam"};
  std::vector<int> batches, replicas{1, 10};  // no batches: 16, 64, 256 for the MLP, 128 for the ConvNet
  std::vector<double> compactness{1.0, 0.2};  // share of the hidden units that are active
  Effort effort{.samples = 5, .seconds_per_sample = 0.2};
  std::string gemm_backend, convolution_backend;  // empty: the preferred backends
  GraphUse graph = GraphUse::automatic;           // off: steps are not measured as graphs
};

// The cost of one command on the queue, and the time to build and to load the kernel library.
nlohmann::json launch(Device& device, const Options& options);
// The matrix products of both networks, forward, backward and weight gradient, per backend.
nlohmann::json gemm(Device& device, const Options& options);
// The convolutions of the ConvNet, per backend.
nlohmann::json convolution(Device& device, const Options& options);

// The tiles of the portable kernels: measures all of them and leaves the fastest in device.tuning(). `backends` and
// `every_shape` are not used.
nlohmann::json tune(Device& device, const Options& options);

// Training steps of both networks.
nlohmann::json step(Device& device, const StepOptions& options);

struct EditOptions {
  std::vector<std::string> networks{"mlp", "convnet"}, methods{"grow", "prune"}, optimizers{"sgd", "adam"};
  std::vector<int> replicas{10};
  double compactness = 0.2;
  int samples = 3;
};
// Edits of both networks, with recompaction.
nlohmann::json edit(Device& device, const EditOptions& options);

// The requested backends in the device's order of preference; all of them if `requested` is empty. Throws InputError
// for an unknown one.
std::vector<std::string> select_backends(const std::vector<BackendStatus>& available,
                                         const std::vector<std::string>& requested, const std::string& operation);

nlohmann::json to_json(const Timing& timing);

// Random images; training on them takes as long as on a real data set.
Images noise_images(const ImageShape& shape, std::int32_t classes, std::int32_t count);

// GFLOP/s of a large matrix product on the fastest backend; other figures are given as a share of it.
double measured_peak(Device& device);

// A table of GFLOP/s with the share of the peak: prints its header or a row, without the end of the line.
void print_header(const std::vector<std::string>& columns);
void print_rates(const std::string& shape, double flops, const std::vector<double>& seconds, double peak);

}  // namespace cambium::bench
