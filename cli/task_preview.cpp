#include "cli/task_preview.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "lab/config/study_presets.hpp"
#include "streams/contact_sheet.hpp"
#include "streams/random_label.hpp"

namespace cambium::cli {
namespace {

constexpr std::uint32_t pictures_per_task = 10;

// "a", "a and b", "a, b and c".
std::string joined(const std::vector<std::string>& parts) {
  if (parts.size() < 2) return fmt::format("{}", fmt::join(parts, ""));
  return fmt::format("{} and {}", fmt::join(parts.begin(), parts.end() - 1, ", "), parts.back());
}

}  // namespace

TaskPreview::TaskPreview(const StreamEntry& entry, const DataSet& data, std::uint32_t seed, std::int32_t count)
    : entry_(entry), data_(data), settings_(study_settings(entry)), seed_(seed) {
  Curriculum curriculum(settings_, data.train, data.classes, {&seed, 1});
  const std::int32_t periods = settings_.periods_per_task();
  for (std::int32_t number = 0; number < count; ++number) {
    curriculum.go_to(number * periods);
    const Task& task = curriculum.task(0);
    std::vector<std::int32_t> rows(settings_.rows());
    rows.resize(std::min(curriculum.fill(0, 0, rows), pictures_per_task));
    tasks_.push_back({.task = task,
                      .classes = curriculum.classes_of(task),
                      .first_images = rows,
                      .images = curriculum.image_count(task),
                      .steps = std::uint64_t{curriculum.steps(0)} * static_cast<std::uint64_t>(periods),
                      .counts = task_counts(entry, number)});
  }
}

std::string TaskPreview::class_name(std::int32_t number) const {
  return data_.class_names.empty() ? fmt::format("class {}", number)
                                   : data_.class_names[static_cast<std::size_t>(number)];
}

std::string TaskPreview::content(const TaskView& view) const {
  if (view.task.random_labels) return "random labels";
  if (!view.task.pixels.empty()) return "permuted pixels";
  if (view.classes.size() == static_cast<std::size_t>(data_.classes))
    return fmt::format("all {} classes", data_.classes);
  std::vector<std::string> parts;
  for (const auto number : view.classes) {
    parts.push_back(class_name(number));
    if (!view.task.class_labels.empty())
      parts.back() += fmt::format(" ({})", view.task.class_labels[static_cast<std::size_t>(number)]);
  }
  return joined(parts);
}

std::string TaskPreview::label(std::size_t number, std::int32_t image) const {
  const Task& task = tasks_[number].task;
  const std::uint16_t own = data_.train.labels[static_cast<std::size_t>(image)];
  if (task.random_labels)
    return class_name(random_label(seed_, static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(image),
                                   static_cast<std::uint32_t>(entry_.classes)));
  return task.class_labels.empty() ? class_name(own) : fmt::format("{}", task.class_labels[own]);
}

void TaskPreview::print() const {
  fmt::print("\nThe first tasks of seed {}:\n", seed_);
  for (std::size_t i = 0; i < tasks_.size(); ++i)
    fmt::print("    {:<10} {:>6} images, {:>6} steps   {}{}\n", fmt::format("task {}", i + 1), tasks_[i].images,
               tasks_[i].steps, content(tasks_[i]), tasks_[i].counts ? "" : "; not scored");
}

nlohmann::json TaskPreview::to_json() const {
  auto result = nlohmann::json::array();
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    const Task& task = tasks_[i].task;
    auto classes = nlohmann::json::array();
    for (const auto number : tasks_[i].classes) {
      nlohmann::json named{{"class", number}, {"name", class_name(number)}, {"label", number}};
      if (task.random_labels) named["label"] = nullptr;
      if (!task.class_labels.empty()) named["label"] = task.class_labels[static_cast<std::size_t>(number)];
      classes.push_back(named);
    }
    result.push_back({{"task", i + 1},
                      {"images", tasks_[i].images},
                      {"steps", tasks_[i].steps},
                      {"counts", tasks_[i].counts},
                      {"pixels_permuted", !task.pixels.empty()},
                      {"labels_random", task.random_labels},
                      {"classes", classes}});
  }
  return result;
}

std::string TaskPreview::sheet() const {
  std::vector<PictureRow> rows;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    PictureRow row{fmt::format("task {}: {}", i + 1, content(tasks_[i])), {}};
    const auto step = settings_.first_step(static_cast<std::int32_t>(i) * settings_.periods_per_task());
    for (std::uint32_t place = 0; place < tasks_[i].first_images.size(); ++place) {
      const std::int32_t image = tasks_[i].first_images[place];
      std::optional<Augmentation> augmentation;
      if (study_preset(entry_.name).augment) augmentation = augmentation_at(seed_, step, place);
      row.pictures.push_back(picture(data_.train, image, tasks_[i].task, augmentation));
      row.pictures.back().caption = label(i, image);
    }
    rows.push_back(std::move(row));
  }
  return contact_sheet(fmt::format("{}, seed {}: the first images of each task, and their labels", entry_.name, seed_),
                       rows);
}

}  // namespace cambium::cli
