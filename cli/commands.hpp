// The subcommands of `cambium`: each adds itself to the parser and runs when it was named.
#pragma once

#include <CLI/CLI.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "sycl/device.hpp"

namespace cambium::cli {

void add_devices(CLI::App& app);
void add_selftest(CLI::App& app);
void add_bench(CLI::App& app);

// Flags of every subcommand that computes: --device, --gemm-backend, --convolution-backend, --no-cache.
void add_device_flags(CLI::App& command, DeviceOptions& options);

// What a record of a run says about the device.
nlohmann::json to_json(const DeviceInfo& device);

// A file for results, opened before the work that they come from, so that a wrong name costs no time. The text is
// written beside it and renamed into place: the file is never half written. An empty name stands for no file.
class OutputFile {
 public:
  explicit OutputFile(std::string file);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;

  void write(const std::string& text);

 private:
  void check(bool good) const;

  std::string file_;
  std::ofstream stream_;
};

}  // namespace cambium::cli
