// A device as JSON: for `cambium devices --json`, and in every record of a measurement.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace cambium {
struct DeviceInfo;
}

namespace cambium::cli {

nlohmann::json to_json(const DeviceInfo& device);

}  // namespace cambium::cli
