// The portable GEMM backend: launches sycl/gemm_cpu.sycl on CPUs and sycl/gemm.sycl, in tiles, on GPUs.

#include "sycl/gemm_portable.hpp"

#include <algorithm>
#include <array>

#include "sycl/device.hpp"
#include "sycl/gemm_arguments.hpp"
#include "sycl/kernel_units.hpp"
#include "sycl/tuning.hpp"

namespace cambium {
namespace {

using std::int64_t;

std::size_t ceil_div(int64_t value, int64_t divisor) {
  return static_cast<std::size_t>((value + divisor - 1) / divisor);
}

template <class T>
MatrixStrides strides_of(const Matrices<T>& matrices) {
  return {static_cast<std::uint64_t>(matrices.leading), static_cast<std::uint64_t>(matrices.stride)};
}

EpilogueArguments epilogue_of(const GemmCall& call) {
  return {call.epilogue.bias, call.epilogue.mask, static_cast<std::uint64_t>(call.epilogue.stride),
          call.alpha,         call.beta,          call.epilogue.relu};
}

constexpr auto tile_sizes = [] {
  std::array<TileSize, gemm_tilings.size()> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = {gemm_tilings[i].rows, gemm_tilings[i].columns};
  return sizes;
}();

// By the transposition of A and of B.
constexpr KernelName<GemmTileArguments> tile_kernels[2][2] = {{kernels::gemm_nn, kernels::gemm_nt},
                                                              {kernels::gemm_tn, kernels::gemm_tt}};
constexpr KernelName<GemmVectorArguments> vector_kernels[2][2] = {
    {kernels::gemm_nn_in_vectors, kernels::gemm_nt_in_vectors},
    {kernels::gemm_tn_in_vectors, kernels::gemm_tt_in_vectors}};

template <class Arguments>
KernelName<Arguments> kernel_for(const GemmCall& call, const KernelName<Arguments> (&names)[2][2]) {
  return names[static_cast<bool>(call.transpose_a)][static_cast<bool>(call.transpose_b)];
}

// The name of a product for the tuning.
std::string tuned_name(const GemmCall& call) { return kernel_for(call, tile_kernels).text; }

// True if every row of every replica starts at a multiple of 16 bytes.
template <class T>
bool rows_are_aligned(const Matrices<T>& matrices) {
  return matrices.leading % 4 == 0 && matrices.stride % 4 == 0 &&
         reinterpret_cast<std::uintptr_t>(RawAccess::address(matrices.data)) % 16 == 0;
}

class PortableBackend final : public GemmBackend {
 public:
  PortableBackend(Device& device, int tiling) : device_(device), tiling_(tiling) {}

  std::string_view name() const override { return tiling_ < 0 ? portable_gemm.name : "portable, one tiling"; }
  bool fuses_epilogue() const override { return true; }
  bool recordable() const override { return true; }
  void run(const GemmCall& call) override {
    if (tiling_ < 0 && device_.portable_kernels() == PortableKernels::cpu)
      run_vectors(call);
    else
      run_tiles(call);
  }

 private:
  void run_vectors(const GemmCall& call) {
    const bool wide = device_.info().vector_width >= 16;
    const std::size_t columns = ceil_div(call.n, wide ? 32 : 16);
    const int64_t tile_rows = vector_tile_rows(call, wide ? 32 : 16);
    device_.launch_groups(
        Kernel(wide ? wide_gemm_unit : narrow_gemm_unit, kernel_for(call, vector_kernels)),
        {static_cast<std::size_t>(call.replicas), ceil_div(call.m, tile_rows), columns}, {1, 1, 1},
        {call.a.data, call.b.data, call.c.data, strides_of(call.a), strides_of(call.b), strides_of(call.c),
         static_cast<std::uint32_t>(call.m), static_cast<std::uint32_t>(call.n), static_cast<std::uint32_t>(call.k),
         static_cast<std::uint32_t>(tile_rows), epilogue_of(call)});
  }

  int64_t vector_tile_rows(const GemmCall& call, int64_t columns) {
    const TileSize tiles[] = {{most_tile_rows, columns}, {most_tile_rows / 2, columns}, {most_tile_rows / 4, columns}};
    // Tall tiles pack B less often; lower tiles occupy more threads.
    const auto groups = [&](const TileSize& tile) {
      return static_cast<std::size_t>(call.replicas) * ceil_div(call.m, tile.rows) * ceil_div(call.n, columns);
    };
    int standard = 0;
    while (standard < 2 && groups(tiles[standard]) < 2 * device_.info().compute_units) ++standard;
    return tiles[device_.tuning().choose({"cpu/" + tuned_name(call), call.m, call.n, call.k, call.replicas}, tiles,
                                         standard)]
        .rows;
  }

  int tiling_for(const GemmCall& call, int64_t splits) {
    if (tiling_ >= 0) return tiling_;
    const auto largest_group = static_cast<int64_t>(device_.info().largest_work_group);
    const int standard =
        choose_gemm_tiling(call.m, call.n, call.replicas * splits, device_.info().compute_units, largest_group);
    const int chosen =
        device_.tuning().choose({tuned_name(call), call.m, call.n, call.k, call.replicas}, tile_sizes, standard);
    return gemm_tilings[static_cast<std::size_t>(chosen)].items() <= largest_group ? chosen : standard;
  }

  void run_tiles(const GemmCall& call) {
    const auto split = gemm_split(call.m, call.n, call.k);
    const int index = tiling_for(call, split.splits);
    const GemmTiling& tiling = gemm_tilings[static_cast<std::size_t>(index)];
    const auto m = static_cast<std::uint32_t>(call.m), n = static_cast<std::uint32_t>(call.n);
    GemmTileArguments arguments{call.a.data,
                                call.b.data,
                                call.c.data,
                                strides_of(call.a),
                                strides_of(call.b),
                                strides_of(call.c),
                                m,
                                n,
                                static_cast<std::uint32_t>(call.k),
                                static_cast<std::uint32_t>(split.splits),
                                static_cast<std::uint32_t>(split.depth),
                                rows_are_aligned(call.a),
                                rows_are_aligned(call.b),
                                rows_are_aligned(call.c),
                                epilogue_of(call)};
    if (split.splits > 1) {
      arguments.c = partial_.get(device_, static_cast<std::size_t>(call.replicas * split.splits * call.m * call.n));
      arguments.c_strides = {static_cast<std::uint64_t>(call.n), static_cast<std::uint64_t>(call.m * call.n)};
      arguments.aligned_c = n % 4 == 0;
      arguments.epilogue = {};
    }
    device_.launch_groups(Kernel(gemm_tile_units[index], kernel_for(call, tile_kernels)),
                          {static_cast<std::size_t>(call.replicas * split.splits), ceil_div(call.m, tiling.rows),
                           ceil_div(call.n, tiling.columns)},
                          {1, 1, static_cast<std::size_t>(tiling.items())}, arguments);
    if (split.splits > 1)
      device_.launch(
          Kernel(sum_splits_unit, kernels::sum_splits),
          {static_cast<std::size_t>(call.replicas), static_cast<std::size_t>(call.m), static_cast<std::size_t>(call.n)},
          {arguments.c, call.c.data, strides_of(call.c), epilogue_of(call), m, n,
           static_cast<std::uint32_t>(split.splits)});
  }

  Device& device_;
  int tiling_;  // negative: chosen by the shape
  Workspace partial_;
};

}  // namespace

GemmSplit gemm_split(int64_t m, int64_t n, int64_t k) {
  // Counted in tiles of 64 x 64. Ten replicas of 12 groups fill a GPU of 108 to 128 compute units; a long inner
  // dimension is worth splitting for one replica alone.
  const int64_t tiles = static_cast<int64_t>(ceil_div(m, 64) * ceil_div(n, 64));
  const auto splits_for = [&](int64_t groups, int64_t least_depth) {
    return std::min((groups + tiles - 1) / tiles, k / least_depth);
  };
  const int64_t wanted = std::max({int64_t{1}, splits_for(12, 64), splits_for(108, 512)});
  const int64_t depth = static_cast<int64_t>(ceil_div(static_cast<int64_t>(ceil_div(k, wanted)), 8)) * 8;
  return {static_cast<int64_t>(ceil_div(k, depth)), depth};
}

int choose_gemm_tiling(int64_t m, int64_t n, int64_t matrices, int64_t compute_units, int64_t largest_group) {
  // The tallest tile of which at least half of the rows are used and that gives work to every compute unit.
  int index = 0;
  for (; index + 1 < static_cast<int>(gemm_tilings.size()); ++index) {
    const GemmTiling& tiling = gemm_tilings[static_cast<std::size_t>(index)];
    const auto groups = static_cast<int64_t>(ceil_div(m, tiling.rows) * ceil_div(n, tiling.columns)) * matrices;
    if (tiling.items() <= largest_group && m > tiling.rows / 2 && groups >= compute_units) break;
  }
  return index;
}

std::unique_ptr<GemmBackend> make_portable_gemm(Device& device, int tiling) {
  return std::make_unique<PortableBackend>(device, tiling);
}

const GemmBackendEntry portable_gemm{
    "portable", [](const DeviceInfo&) { return std::string(); },
    [](Device& device) -> std::unique_ptr<GemmBackend> { return make_portable_gemm(device, -1); }};

}  // namespace cambium
