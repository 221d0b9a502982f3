// Options that several commands have.
#pragma once

#include <string>
#include <vector>

namespace cambium {
struct DeviceOptions;
}

namespace cambium::cli {

class Command;

// Options of every command that computes: --device, --graph, --kernels, --no-cache. `several`: --device takes a list.
void add_device_flags(Command& command, DeviceOptions& options, bool several = false);

// --data-dir, of every command that reads data sets: the argument of data_folders (streams/data/data_set.hpp).
void add_data_folder_flag(Command& command, std::vector<std::string>& folders);

}  // namespace cambium::cli
