// The portable GEMM backend: launches sycl/gemm.sycl with the tiles that suit the kind of device.

#include "sycl/device.hpp"
#include "sycl/gemm.hpp"

namespace cambium {
namespace {

// How a work-group shares out a tile of C; see gemm.sycl.
struct Tiling {
  std::size_t items_m, items_n, rows, columns, inner;

  std::size_t tile_m() const { return items_m * rows; }
  std::size_t tile_n() const { return items_n * columns; }
  std::vector<std::string> definitions() const {
    return {fmt::format("ITEMS_M={}", items_m), fmt::format("ITEMS_N={}", items_n), fmt::format("ROWS={}", rows),
            fmt::format("COLUMNS={}", columns), fmt::format("TILE_K={}", inner)};
  }
};

// A CPU runs the items of a group one vector at a time: few items, as many accumulators as it has registers.
constexpr Tiling cpu_tiling{4, 16, 8, 2, 64};
// A GPU runs them side by side: 256 items, 9 KiB of local memory.
constexpr Tiling gpu_tiling{16, 16, 4, 4, 16};

const KernelUnit cpu_unit("sycl/gemm.sycl", cpu_tiling.definitions());
const KernelUnit gpu_unit("sycl/gemm.sycl", gpu_tiling.definitions());

// Same layout as in gemm.sycl.
struct Operand {
  std::uint64_t leading, stride;
  template <class T>
  explicit Operand(const Matrices<T>& matrices)
      : leading(static_cast<std::uint64_t>(matrices.leading)), stride(static_cast<std::uint64_t>(matrices.stride)) {}
};

GemmTiles tiles_for(const Device& device) { return device.info().is_cpu() ? GemmTiles::cpu : GemmTiles::gpu; }

class PortableBackend final : public GemmBackend {
 public:
  PortableBackend(Device& device, GemmTiles tiles)
      : device_(device),
        tiling_(tiles == GemmTiles::cpu ? cpu_tiling : gpu_tiling),
        unit_(tiles == GemmTiles::cpu ? cpu_unit : gpu_unit),
        name_(tiles == tiles_for(device) ? portable_gemm.name : "portable, tiles of the other kind") {}

  std::string_view name() const override { return name_; }

  void run(const GemmCall& call) override {
    constexpr std::string_view names[2][2] = {{"gemm_nn", "gemm_nt"}, {"gemm_tn", "gemm_tt"}};
    const auto m = static_cast<std::uint32_t>(call.m), n = static_cast<std::uint32_t>(call.n),
               k = static_cast<std::uint32_t>(call.k);
    device_.launch_groups(unit_, names[static_cast<bool>(call.transpose_a)][static_cast<bool>(call.transpose_b)],
                          {static_cast<std::size_t>(call.replicas), (m + tiling_.tile_m() - 1) / tiling_.tile_m(),
                           (n + tiling_.tile_n() - 1) / tiling_.tile_n()},
                          {1, tiling_.items_m, tiling_.items_n}, call.a.data, Operand(call.a), call.b.data,
                          Operand(call.b), call.c.data, Operand(call.c), m, n, k, call.alpha, call.beta);
  }

 private:
  Device& device_;
  const Tiling& tiling_;
  const KernelUnit& unit_;
  std::string_view name_;
};

}  // namespace

std::unique_ptr<GemmBackend> make_portable_gemm(Device& device, GemmTiles tiles) {
  return std::make_unique<PortableBackend>(device, tiles);
}

const GemmBackendEntry portable_gemm{"portable", [](const DeviceInfo&) { return std::string(); },
                                     [](Device& device) -> std::unique_ptr<GemmBackend> {
                                       return make_portable_gemm(
                                           device, device.info().is_cpu() ? GemmTiles::cpu : GemmTiles::gpu);
                                     }};

}  // namespace cambium
