#include "streams/data/contents.hpp"

#include <span>

#include "base/digest.hpp"
#include "streams/data/archive.hpp"
#include "streams/data/cifar.hpp"
#include "streams/data/idx.hpp"
#include "streams/data/imagenet.hpp"

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
    case DataFormat::imagenet_classes:
    case DataFormat::imagenet_batches:
      expect(false, "ImageNet is read file by file");
  }
  const auto& first = files.front();
  if (images.count != official_count)
    first.refuse("{} has {} images for {}, but the files have {}", entry.name, grouped(official_count), part,
                 grouped(images.count));
  if (images.height != entry.height || images.width != entry.width)
    first.refuse("the images have {} x {} pixels, but those of {} have {} x {}", images.height, images.width,
                 entry.name, entry.height, entry.width);
  return images;
}

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

// Keeps one file in memory at a time.
Images read_imagenet(const DataLocation& location, const OnFile& on_file) {
  const auto& entry = *location.entry;
  const auto& wanted = location.layout->train;
  ImagenetReader reader(entry.classes, entry.images_per_class);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto file = read_data_file(location.files[i], entry.name, wanted[i].bytes);
    if (on_file) on_file(i, file);
    if (location.layout->format == DataFormat::imagenet_classes)
      reader.add_class(file);
    else
      reader.add_batch(file);
  }
  return reader.finish({.shown = location.place.string(), .data_set = entry.name, .bytes = {}});
}

}  // namespace

DataSet read_contents(const DataLocation& location, const OnFile& on_file) {
  const auto& entry = *location.entry;
  const auto& layout = *location.layout;
  DataSet data{.name = entry.name,
               .classes = entry.classes,
               .mean = entry.mean,
               .deviation = entry.deviation,
               .class_names = entry.class_names};
  if (layout.format == DataFormat::imagenet_classes || layout.format == DataFormat::imagenet_batches) {
    data.train = read_imagenet(location, on_file);
    data.test = {.count = 0, .height = entry.height, .width = entry.width, .channels = entry.channels};
    return data;
  }
  const auto files = read_files(location);
  for (std::size_t i = 0; on_file && i < files.size(); ++i) on_file(i, files[i]);
  const auto all = std::span(files);
  const std::size_t train = layout.train.size();
  data.train = parse_part(entry, layout.format, all.first(train), entry.train_images, "training");
  data.test = parse_part(entry, layout.format, all.subspan(train), entry.test_images, "test");
  return data;
}

std::vector<ContentCheck> verify_contents(const DataLocation& location) {
  const auto wanted = all_files(*location.layout);
  std::vector<ContentCheck> checks;
  read_contents(location, [&](std::size_t number, const DataFile& file) {
    const auto& expected = wanted[number].checksum;
    checks.push_back({.file = file.shown,
                      .bytes = file.bytes.size(),
                      .expected = expected,
                      .found = expected.empty() ? "" : digest_like(expected, file.bytes)});
  });
  return checks;
}

}  // namespace cambium
