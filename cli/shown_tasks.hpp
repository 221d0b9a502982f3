// What a seed is shown of a stream, as words, as JSON, and as a contact sheet.
#pragma once

#include <nlohmann/json.hpp>

#include "streams/curriculum.hpp"

namespace cambium::cli {

class ShownTasks {
 public:
  // The first `count` tasks, with the study's settings. The entry and the data must outlive this.
  ShownTasks(const StreamEntry& entry, const DataSet& data, std::uint32_t seed, std::int32_t count);

  void print() const;
  nlohmann::json to_json() const;
  std::string sheet() const;  // an SVG

 private:
  struct Shown {
    Task task;
    std::vector<std::int32_t> classes;       // of the data set
    std::vector<std::int32_t> first_images;  // of its first batch
    std::uint32_t images = 0;
    std::uint64_t steps = 0;
    bool counts = true;
  };

  std::string class_name(std::int32_t number) const;
  // What a task is about: "3 and 7", "pixels permuted".
  std::string subject(const Shown& shown) const;
  // What task number `number`, from 0, calls an image.
  std::string label(std::size_t number, std::int32_t image) const;

  const StreamEntry& entry_;
  const DataSet& data_;
  CurriculumSettings settings_;
  std::uint32_t seed_;
  std::vector<Shown> tasks_;
};

}  // namespace cambium::cli
