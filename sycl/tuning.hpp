// Tile choices of the portable kernels that `cambium tune` measured, kept in the cache per device and driver.
//
// A choice changes the speed of a kernel and no bit of its result. Without a tuning, every kernel has a default.
#pragma once

#include <compare>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace cambium {

struct DeviceInfo;

// The part of a result that one work-group computes.
struct TileSize {
  std::int64_t rows, columns;
  bool operator==(const TileSize&) const = default;
};

// The product that a launch computes, for `matrices` replicas.
struct TunedProduct {
  std::string kernel;  // such as gemm_nt or convolution_forward; "cpu/" before it for the kernels of CPUs
  std::int64_t rows, columns, depth, matrices;
  auto operator<=>(const TunedProduct&) const = default;

  // The product with every dimension rounded up to a power of two.
  TunedProduct rounded() const;
};

class Tuning {
 public:
  // The choices that `cambium tune` stored for this device; empty if there are none. A damaged file is ignored with a
  // warning.
  static Tuning load(const DeviceInfo& device);
  // Throws what base/file.hpp says if the file cannot be written.
  void store(const DeviceInfo& device) const;
  // Empty if no cache folder is known.
  static std::filesystem::path file(const DeviceInfo& device);

  // The position in `tiles` of the tile for this product: the stored one if it is among them, else `standard`.
  int choose(const TunedProduct& product, std::span<const TileSize> tiles, int standard);

  // Products that are the same when rounded share a choice.
  void set(const TunedProduct& product, TileSize tile);
  void remove(const TunedProduct& product);
  std::size_t size() const { return tiles_.size(); }

  // Every call of choose(), for the tuner.
  struct Decision {
    TunedProduct product;
    std::vector<TileSize> tiles;
    int chosen;
  };
  void log_to(std::vector<Decision>* log) { log_ = log; }  // null: no more

 private:
  std::map<TunedProduct, TileSize> tiles_;  // by rounded dimensions
  std::vector<Decision>* log_ = nullptr;
};

}  // namespace cambium
