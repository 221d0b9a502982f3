// The subcommands of `cambium`: each adds itself to the parser and runs when it was named.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sycl/device.hpp"

namespace cambium::cli {

void add_devices(CLI::App& app);
void add_kernels(CLI::App& app);
void add_selftest(CLI::App& app);
void add_bench(CLI::App& app);
void add_tune(CLI::App& app);
void add_data(CLI::App& app);
void add_streams(CLI::App& app);
void add_keys(CLI::App& app);
void add_train(CLI::App& app);
void add_inspect(CLI::App& app);
void add_plan(CLI::App& app);
void add_sweep(CLI::App& app);
void add_reproduce(CLI::App& app);
void add_report(CLI::App& app);

// Flags of every subcommand that computes: --device, --graph, --kernels, --no-cache. `several`: --device takes a list.
void add_device_flags(CLI::App& command, DeviceOptions& options, bool several = false);

// The flag of every subcommand that reads data sets, --data-dir: what data_folders (streams/data/data_set.hpp) is asked
// for.
void add_data_folders_flag(CLI::App& command, std::vector<std::string>& folders);

// What a record of a run says about the device.
nlohmann::json to_json(const DeviceInfo& device);

}  // namespace cambium::cli
