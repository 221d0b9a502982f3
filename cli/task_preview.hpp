// The first tasks of a stream as one seed sees them: as text, as JSON, and as a contact sheet.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "streams/curriculum.hpp"

namespace cambium::cli {

class TaskPreview {
 public:
  // The first `count` tasks, with the study's settings. The entry and the data must outlive this.
  TaskPreview(const StreamEntry& entry, const DataSet& data, std::uint32_t seed, std::int32_t count);

  void print() const;
  nlohmann::json to_json() const;
  std::string sheet() const;  // an SVG

 private:
  struct TaskView {
    Task task;
    std::vector<std::int32_t> classes;       // numbers in the data set
    std::vector<std::int32_t> first_images;  // of its first batch
    std::uint32_t images = 0;
    std::uint64_t steps = 0;
    bool counts = true;  // for the score of the stream
  };

  std::string class_name(std::int32_t number) const;
  // "3 and 7", "permuted pixels".
  std::string content(const TaskView& view) const;
  // The label of an image in task number `number`, from 0.
  std::string label(std::size_t number, std::int32_t image) const;

  const StreamEntry& entry_;
  const DataSet& data_;
  CurriculumSettings settings_;
  std::uint32_t seed_;
  std::vector<TaskView> tasks_;
};

}  // namespace cambium::cli
