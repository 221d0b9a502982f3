#include "sycl/memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "tests/shared_device.hpp"

namespace cambium {
namespace {

template <class T>
concept CanBeDereferenced = requires(T t) {
  *t;
};
template <class T>
concept CanBeIndexed = requires(T t) {
  t[0];
};
static_assert(!CanBeDereferenced<View<float>> && !CanBeIndexed<View<float>>);
static_assert(!CanBeDereferenced<Buffer<float>> && !CanBeIndexed<Buffer<float>>);
static_assert(std::is_trivially_copyable_v<View<float>> && std::is_trivially_copyable_v<View<const float>>);
static_assert(std::is_convertible_v<View<float>, View<const float>>);
static_assert(!std::is_convertible_v<View<const float>, View<float>>);
static_assert(!std::is_copy_constructible_v<Buffer<float>>);

TEST(Buffers, DownloadTheUploadedValues) {
  std::vector<std::int32_t> values(10007);
  std::iota(values.begin(), values.end(), -5000);
  const Buffer<std::int32_t> buffer(shared_device(), values);
  EXPECT_EQ(buffer.download(), values);
}

TEST(Buffers, AreEmptyAfterTheyWereMovedFrom) {
  Buffer<float> first(shared_device(), std::vector<float>(100, 3.0f));
  Buffer<float> second = std::move(first);
  EXPECT_EQ(first.size(), 0u);
  first = std::move(second);
  EXPECT_EQ(second.size(), 0u);
  EXPECT_EQ(first.download(), std::vector<float>(100, 3.0f));
}

TEST(Buffers, KeepTheirFirstElementsWhenTheyShrink) {
  Buffer<std::int32_t> buffer(shared_device(), std::vector<std::int32_t>{1, 2, 3, 4});
  buffer.shrink(3);
  EXPECT_EQ(buffer.download(), (std::vector<std::int32_t>{1, 2, 3}));
  EXPECT_THROW(buffer.shrink(4), std::logic_error);
}

TEST(Buffers, AreZeroAfterClear) {
  Buffer<float> buffer(shared_device(), std::vector<float>(100, 3.0f));
  buffer.clear();
  EXPECT_EQ(buffer.download(), std::vector<float>(100, 0.0f));
}

TEST(Buffers, MayBeEmpty) {
  Buffer<float> none, zero(shared_device(), 0);
  EXPECT_TRUE(none.view().empty());
  EXPECT_TRUE(zero.view().empty());
  EXPECT_TRUE(zero.download().empty());
  zero.clear();
}

TEST(Buffers, CanBeMoved) {
  Buffer<float> first(shared_device(), std::vector<float>{1, 2, 3});
  Buffer<float> second(std::move(first));
  EXPECT_EQ(second.download(), (std::vector<float>{1, 2, 3}));
  Buffer<float> third(shared_device(), 1000);
  third = std::move(second);
  EXPECT_EQ(third.download(), (std::vector<float>{1, 2, 3}));
}

TEST(Buffers, RefuseCopiesOfTheWrongLength) {
  Buffer<float> buffer(shared_device(), 4);
  EXPECT_THROW(buffer.upload(std::vector<float>(5)), std::logic_error);
  std::vector<float> target(3);
  EXPECT_THROW(buffer.download(target), std::logic_error);
}

TEST(Views, CannotReachBeyondTheirEnd) {
  Buffer<float> buffer(shared_device(), 10);
  EXPECT_EQ(buffer.view().slice(4, 6).size(), 6u);
  EXPECT_EQ(buffer.view().slice(10, 0).size(), 0u);
  EXPECT_THROW(buffer.view().slice(4, 7), std::logic_error);
  EXPECT_THROW(buffer.view().slice(11, 0), std::logic_error);
  EXPECT_THROW(buffer.view().slice(1, static_cast<std::size_t>(-1)), std::logic_error);
}

TEST(Memory, ThatCannotBeAllocatedIsAnErrorWithTheRequestedSize) {
  constexpr std::size_t bytes = std::size_t{1} << 50;
  EXPECT_THAT([&] { Buffer<char>(shared_device(), bytes); },
              testing::ThrowsMessage<DeviceError>(
                  testing::AllOf(testing::HasSubstr(std::to_string(bytes)), testing::HasSubstr("smaller batch"))));
  // The device still works.
  EXPECT_EQ(Buffer<float>(shared_device(), std::vector<float>{7}).download(), std::vector<float>{7});
}

}  // namespace
}  // namespace cambium
