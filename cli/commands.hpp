// The subcommands of `cambium`: each adds itself to the parser and runs when it was named.
#pragma once

#include <CLI/CLI.hpp>
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

// Writes the text beside `file` and renames it into place, so that `file` is never half written.
void write_file(const std::string& file, const std::string& text);

}  // namespace cambium::cli
