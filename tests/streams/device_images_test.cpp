// Batches of tasks, compared with a naive loop on the host.

#include "streams/device_images.hpp"

#include <gtest/gtest.h>

#include "base/shuffle.hpp"
#include "selftest/conformance.hpp"
#include "streams/augmentation.hpp"
#include "streams/random_label.hpp"
#include "streams/stream.hpp"
#include "tests/shared_device.hpp"

namespace cambium {
namespace {

constexpr std::uint32_t image_count = 23, rows = 9, replicas = 3;
constexpr std::int32_t data_classes = 6, output_classes = 6, task_number = 5;
constexpr std::uint64_t step = (std::uint64_t{1} << 32) + 7;
const std::vector<std::uint32_t> seeds{3, 4, 1000};

enum class Labels { own, of_classes, random };

struct BatchCase {
  ImageShape shape;
  bool augment, permute;
  Labels labels;
};
std::ostream& operator<<(std::ostream& stream, const BatchCase& test) {
  return stream << (test.shape.channels == 1 ? "grey" : "colour") << (test.augment ? "_augmented" : "")
                << (test.permute ? "_permuted" : "")
                << (test.labels == Labels::own          ? ""
                    : test.labels == Labels::of_classes ? "_class_labels"
                                                        : "_random_labels");
}

Images random_images(const ImageShape& shape) {
  Images images{image_count, shape.height, shape.width, shape.channels, {}, {}};
  for (const float value : conformance::random_values(image_count * static_cast<std::size_t>(shape.size()), 1, 5))
    images.pixels.push_back(static_cast<std::uint8_t>(127.5f + 127.5f * value));
  for (std::uint32_t i = 0; i < image_count; ++i) images.labels.push_back(static_cast<std::uint16_t>(i % data_classes));
  return images;
}

std::vector<std::int32_t> some_indices() {
  std::vector<std::int32_t> indices;
  for (std::uint32_t i = 0; i < replicas * rows; ++i)
    indices.push_back(i % 4 == 2 ? -1 : static_cast<std::int32_t>(i * 5 % image_count));
  return indices;
}

struct Batch {
  std::vector<float> pixels;
  std::vector<std::int32_t> labels;
};

Batch gathered(const Images& images, const std::vector<std::int32_t>& indices, bool augment, const TaskView& task) {
  Device& device = shared_device();
  const DeviceImages on_device(device, images, Normalisation::unit(images.channels));
  const Buffer<std::int32_t> device_indices(device, indices);
  const Buffer<std::uint32_t> device_seeds(device, seeds);
  Buffer<float> pixels(device, indices.size() * static_cast<std::size_t>(on_device.shape().size()));
  Buffer<std::int32_t> labels(device, indices.size());
  on_device.gather(device,
                   {.indices = device_indices,
                    .replicas = replicas,
                    .rows = rows,
                    .augment = augment,
                    .step = step,
                    .seeds = device_seeds,
                    .task = task},
                   pixels, labels);
  return {pixels.download(), labels.download()};
}

class Batches : public testing::TestWithParam<BatchCase> {
 protected:
  const ImageShape& shape = GetParam().shape;
  const std::size_t height = static_cast<std::size_t>(shape.height), width = static_cast<std::size_t>(shape.width),
                    channels = static_cast<std::size_t>(shape.channels);
  const Images images = random_images(shape);
  const std::vector<std::int32_t> indices = some_indices();
  const std::vector<Task> tasks = make_tasks();
  const Batch batch = gathered(images, indices, GetParam().augment,
                               DeviceTasks(shared_device(), tasks, task_number, output_classes).view());

  std::vector<Task> make_tasks() const {
    std::vector<Task> result(replicas);
    for (std::uint32_t r = 0; r < replicas; ++r) {
      if (GetParam().permute) result[r].pixels = shuffled(static_cast<std::uint32_t>(height * width), {{r, 7}}, 0);
      if (GetParam().labels == Labels::of_classes)
        for (std::uint32_t c = 0; c < data_classes; ++c)
          result[r].class_labels.push_back(static_cast<std::int32_t>((c + 2 * r) % 5) - 1);
      result[r].random_labels = GetParam().labels == Labels::random;
    }
    return result;
  }

  // Row `row` of all rows, augmented; one byte per pixel and channel.
  std::vector<std::uint8_t> augmented(std::size_t row) const {
    const auto image = images.pixels.begin() +
                       static_cast<std::ptrdiff_t>(static_cast<std::size_t>(indices[row]) * height * width * channels);
    std::vector<std::uint8_t> result(height * width * channels, 0);
    const auto change = augmentation_at(seeds[row / rows], step, static_cast<std::uint32_t>(row % rows));
    for (std::size_t y = 0; y < height; ++y)
      for (std::size_t x = 0; x < width; ++x)
        for (std::size_t c = 0; c < channels; ++c) {
          auto from_y = static_cast<std::ptrdiff_t>(y), from_x = static_cast<std::ptrdiff_t>(x);
          if (GetParam().augment) {
            if (change.flip) from_x = shape.width - 1 - from_x;
            from_y += static_cast<std::ptrdiff_t>(change.down) - 4;
            from_x += static_cast<std::ptrdiff_t>(change.across) - 4;
          }
          if (from_y < 0 || from_x < 0 || from_y >= shape.height || from_x >= shape.width) continue;
          result[(y * width + x) * channels + c] =
              image[(from_y * shape.width + from_x) * shape.channels + static_cast<std::ptrdiff_t>(c)];
        }
    return result;
  }
};

std::vector<BatchCase> all_cases() {
  std::vector<BatchCase> cases;
  for (const auto& shape : {ImageShape{7, 5, 1}, ImageShape{6, 9, 3}})
    for (const bool augment : {false, true})
      for (const bool permute : {false, true})
        for (const auto labels : {Labels::own, Labels::of_classes, Labels::random})
          cases.push_back({shape, augment, permute, labels});
  return cases;
}
INSTANTIATE_TEST_SUITE_P(All, Batches, testing::ValuesIn(all_cases()), testing::PrintToStringParamName());

TEST_P(Batches, ShowTheAugmentedImageInTheTasksOrderOfPixels) {
  for (std::size_t row = 0; row < indices.size(); ++row) {
    if (indices[row] < 0) continue;
    const auto before = augmented(row);
    const auto& order = tasks[row / rows].pixels;
    for (std::size_t i = 0; i < height * width; ++i)
      for (std::size_t c = 0; c < channels; ++c) {
        const std::size_t from = order.empty() ? i : static_cast<std::size_t>(order[i]);
        ASSERT_FLOAT_EQ(batch.pixels[(row * height * width + i) * channels + c],
                        static_cast<float>(before[from * channels + c]) / 255.0f)
            << "row " << row << ", position " << i << ", channel " << c;
      }
  }
}

TEST_P(Batches, HaveTheTasksLabels) {
  for (std::size_t row = 0; row < indices.size(); ++row) {
    if (indices[row] < 0) continue;
    const auto image = static_cast<std::uint32_t>(indices[row]);
    const std::int32_t expected = GetParam().labels == Labels::own ? images.labels[image]
                                  : GetParam().labels == Labels::of_classes
                                      ? tasks[row / rows].class_labels[images.labels[image]]
                                      : random_label(seeds[row / rows], task_number, image, output_classes);
    EXPECT_EQ(batch.labels[row], expected) << "row " << row;
  }
}

TEST_P(Batches, HaveBlackRowsWithoutALabelForNegativeIndices) {
  for (std::size_t row = 0; row < indices.size(); ++row) {
    if (indices[row] >= 0) continue;
    EXPECT_EQ(batch.labels[row], -1);
    for (std::size_t i = 0; i < height * width * channels; ++i)
      ASSERT_EQ(batch.pixels[row * height * width * channels + i], 0.0f);
  }
}

class TasksOnTheDevice : public testing::Test {
 protected:
  const ImageShape shape{4, 3, 1};
  const Images images = random_images(shape);
  const std::vector<std::int32_t> indices = some_indices();
  std::vector<Task> tasks = std::vector<Task>(replicas);

  DeviceTasks on_device() const { return {shared_device(), tasks, task_number, output_classes}; }
  Batch batch_of(const TaskView& task) const { return gathered(images, indices, false, task); }
};

TEST_F(TasksOnTheDevice, WithoutListsLeaveImagesUnchanged) {
  const auto tasks_on_device = on_device();
  EXPECT_TRUE(tasks_on_device.view().pixels.empty());
  EXPECT_TRUE(tasks_on_device.view().class_labels.empty());
  const auto plain = batch_of({}), shown = batch_of(tasks_on_device);
  EXPECT_EQ(shown.pixels, plain.pixels);
  EXPECT_EQ(shown.labels, plain.labels);
}

// keep_first leaves the first task of a replica without a list.
TEST_F(TasksOnTheDevice, LeaveTheImagesOfAReplicaWithoutAListUnchanged) {
  tasks[1].pixels = shuffled(12, {{1, 2}}, 3);
  tasks[1].class_labels = {3, 2, 1, 0, -1, -1};
  const auto plain = batch_of({}), shown = batch_of(on_device());
  for (std::size_t row = 0; row < indices.size(); ++row) {
    const auto begin = static_cast<std::ptrdiff_t>(row * 12);
    const bool same =
        std::equal(plain.pixels.begin() + begin, plain.pixels.begin() + begin + 12, shown.pixels.begin() + begin) &&
        plain.labels[row] == shown.labels[row];
    EXPECT_EQ(same, row / rows != 1 || indices[row] < 0) << "row " << row;
  }
}

TEST_F(TasksOnTheDevice, DrawNewRandomLabelsInEveryTask) {
  for (auto& task : tasks) task.random_labels = true;
  const DeviceTasks next(shared_device(), tasks, task_number + 1, output_classes);
  EXPECT_NE(batch_of(on_device()).labels, batch_of(next).labels);
}

TEST_F(TasksOnTheDevice, MustHaveListsOfTheSameLength) {
  tasks[0].pixels = {0, 1, 2};
  tasks[2].pixels = {0, 1};
  EXPECT_ANY_THROW(on_device());
  tasks = std::vector<Task>(replicas);
  tasks[1].random_labels = true;
  EXPECT_ANY_THROW(on_device());
}

TEST_F(TasksOnTheDevice, MustHaveEntriesInRange) {
  for (const std::int32_t wrong : {-1, 3}) {
    tasks[1].pixels = {0, 1, wrong};
    EXPECT_ANY_THROW(on_device());
  }
  tasks[1].pixels.clear();
  for (const std::int32_t wrong : {-2, output_classes}) {
    tasks[1].class_labels = {0, -1, wrong};
    EXPECT_ANY_THROW(on_device());
  }
}

TEST_F(TasksOnTheDevice, MustHaveOneEntryPerPixel) {
  for (auto& task : tasks) task.pixels = {1, 0};
  EXPECT_ANY_THROW(batch_of(on_device()));
  for (auto& task : tasks) task = {.class_labels = {0, 1}};
  EXPECT_ANY_THROW(batch_of(on_device()));
}

}  // namespace
}  // namespace cambium
