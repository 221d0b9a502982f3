#include "streams/contents.hpp"

#include <span>

#include "streams/archive.hpp"
#include "streams/cifar.hpp"
#include "streams/digest.hpp"
#include "streams/idx.hpp"

namespace cambium {
namespace {

std::vector<CatalogueFile> all_files(const DataLayout& layout) {
  auto files = layout.train;
  files.insert(files.end(), layout.test.begin(), layout.test.end());
  return files;
}

Images parse_part(const CatalogueEntry& entry, DataFormat format, std::span<const DataFile> files,
                  std::int32_t official_count, const char* part) {
  Images images;
  switch (format) {
    case DataFormat::idx:
      images = read_idx(files[0], files[1], entry.classes);
      break;
    case DataFormat::cifar_binary:
      images = read_cifar_binary(files, entry.classes == 100 ? CifarLabels{20, 100} : CifarLabels{entry.classes});
      break;
    case DataFormat::cifar_python:
      images = read_cifar_python(files, entry.classes == 100 ? "fine_labels" : "labels", entry.classes);
      break;
  }
  const auto& first = files.front();
  if (images.count != official_count)
    first.refuse("{} has {} images for {}, and here are {}", entry.name, grouped(official_count), part,
                 grouped(images.count));
  if (images.height != entry.height || images.width != entry.width)
    first.refuse("images of {} x {} pixels, where those of {} have {} x {}", images.height, images.width, entry.name,
                 entry.height, entry.width);
  return images;
}

}  // namespace

std::vector<DataFile> read_files(const DataLocation& location) {
  const auto wanted = all_files(*location.layout);
  const auto& name = location.entry->name;
  if (location.archive) {
    std::vector<Member> members;
    for (const auto& file : wanted) members.push_back({file.name, file.bytes});
    return read_members(location.place, name, members);
  }
  std::vector<DataFile> files;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    files.push_back(read_data_file(location.files[i], name, wanted[i].bytes));
  return files;
}

DataSet parse_files(const DataLocation& location, const std::vector<DataFile>& files) {
  const auto& entry = *location.entry;
  const auto& layout = *location.layout;
  const auto all = std::span(files);
  const std::size_t train = layout.train.size();
  return {.name = entry.name,
          .classes = entry.classes,
          .mean = entry.mean,
          .deviation = entry.deviation,
          .class_names = entry.class_names,
          .train = parse_part(entry, layout.format, all.first(train), entry.train_images, "training"),
          .test = parse_part(entry, layout.format, all.subspan(train), entry.test_images, "test")};
}

std::vector<ContentCheck> verify_contents(const DataLocation& location) {
  const auto wanted = all_files(*location.layout);
  const auto files = read_files(location);
  parse_files(location, files);
  std::vector<ContentCheck> checks;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    checks.push_back({.file = files[i].shown,
                      .bytes = files[i].bytes.size(),
                      .expected = wanted[i].checksum,
                      .found = digest_like(wanted[i].checksum, files[i].bytes)});
  return checks;
}

}  // namespace cambium
