#include "sycl/tuning.hpp"

#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/digest.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "sycl/device.hpp"
#include "sycl/runtime.hpp"

namespace cambium {

TunedProduct TunedProduct::rounded() const {
  TunedProduct product = *this;
  for (auto* size : {&product.rows, &product.columns, &product.depth, &product.matrices})
    *size = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(*size)));
  return product;
}

std::filesystem::path Tuning::file(const DeviceInfo& device) {
  if (cache_directory().empty()) return {};
  const std::string parts[] = {CAMBIUM_VERSION, device.backend, device.vendor, device.name, device.driver};
  return cache_directory() / "tuning" / (content_hash(parts).substr(0, 16) + ".json");
}

Tuning Tuning::load(const DeviceInfo& device) {
  const auto path = file(device);
  std::ifstream stream(path);
  if (path.empty() || !stream) return {};
  Tuning tuning;
  try {
    const auto json = nlohmann::json::parse(stream);
    for (const auto& entry : json.at("tiles")) {
      const auto dimension = [&](const char* key) {
        const auto value = entry.at(key).get<std::int64_t>();
        if (value < 1 || value > std::int64_t{1} << 40) throw std::out_of_range(fmt::format("{} is {}", key, value));
        return value;
      };
      tuning.set(
          {entry.at("kernel"), dimension("rows"), dimension("columns"), dimension("depth"), dimension("matrices")},
          {dimension("tile_rows"), dimension("tile_columns")});
    }
  } catch (const std::exception& error) {
    spdlog::warn("{}: not a tuning ({}); default tiles are used. Run `cambium tune` again", path.string(),
                 error.what());
    return {};
  }
  return tuning;
}

void Tuning::store(const DeviceInfo& device) const {
  const auto path = file(device);
  if (path.empty()) throw_input_error("no cache folder is known; set CAMBIUM_CACHE_DIR to a folder for the tuning");
  nlohmann::json json{{"device", device.name}, {"driver", device.driver}, {"tiles", nlohmann::json::array()}};
  for (const auto& [product, tile] : tiles_)
    json["tiles"].push_back({{"kernel", product.kernel},
                             {"rows", product.rows},
                             {"columns", product.columns},
                             {"depth", product.depth},
                             {"matrices", product.matrices},
                             {"tile_rows", tile.rows},
                             {"tile_columns", tile.columns}});
  make_folder(path.parent_path());
  const auto temporary = fmt::format("{}.{}.part", path.string(), getpid());
  try {
    write_file(temporary, json.dump(1) + "\n");
    std::filesystem::rename(temporary, path);
  } catch (...) {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw;
  }
}

int Tuning::choose(const TunedProduct& product, std::span<const TileSize> tiles, int standard) {
  int chosen = standard;
  if (!tiles_.empty())
    if (const auto found = tiles_.find(product.rounded()); found != tiles_.end())
      if (const auto tile = std::find(tiles.begin(), tiles.end(), found->second); tile != tiles.end())
        chosen = static_cast<int>(tile - tiles.begin());
  if (log_ != nullptr) log_->push_back({product, {tiles.begin(), tiles.end()}, chosen});
  return chosen;
}

void Tuning::set(const TunedProduct& product, TileSize tile) { tiles_[product.rounded()] = tile; }
void Tuning::remove(const TunedProduct& product) { tiles_.erase(product.rounded()); }

}  // namespace cambium
