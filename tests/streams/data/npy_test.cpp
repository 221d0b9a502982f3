// The reader of NumPy files, with good and damaged files made by hand.

#include "streams/data/npy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;

std::string refused(const Bytes& bytes) {
  return refusal([&] { read_npy(as_data_file(bytes, "0.npy")); });
}

std::string refused_header(const std::string& header) { return refused(npy_with_header(header, {1, 2, 3, 4, 5, 6})); }

TEST(Npy, AnArrayIsRead) {
  const auto values = noise(2 * 3 * 4);
  const auto file = as_data_file(npy({2, 3, 4}, values));
  const auto array = read_npy(file);
  EXPECT_EQ(array.type, "|u1");
  EXPECT_THAT(array.shape, ElementsAre(2, 3, 4));
  EXPECT_THAT(array.bytes, ElementsAreArray(values));
}

TEST(Npy, ElementsMayBeFloats) {
  const auto values = noise(2 * 8);
  for (const std::size_t size : {4, 8}) {
    const auto file = as_data_file(npy({16 / size}, values, "<f" + std::to_string(size)));
    const auto array = read_npy(file);
    EXPECT_THAT(array.shape, ElementsAre(16 / size));
    EXPECT_THAT(array.bytes, ElementsAreArray(values));
  }
}

TEST(Npy, LaterVersionsHaveLongerHeaders) {
  for (const std::uint8_t version : {2, 3}) {
    auto bytes = npy({3}, {7, 8, 9});
    bytes[6] = version;
    bytes.insert(bytes.begin() + 10, {0, 0});
    const auto file = as_data_file(bytes);
    EXPECT_THAT(read_npy(file).bytes, ElementsAre(7, 8, 9));
  }
  auto unknown = npy({3}, {7, 8, 9});
  unknown[6] = 4;
  EXPECT_THAT(refused(unknown), HasSubstr("version 4"));
}

TEST(Npy, SpacesInTheHeaderAreIgnored) {
  const auto file =
      as_data_file(npy_with_header("{\"shape\":( 2L ,3),'fortran_order' :False,'descr':'|u1'}", {1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(read_npy(file).shape, ElementsAre(2, 3));
}

TEST(Npy, AFileCutShortAtAnyPlaceIsRefused) {
  const auto whole = npy({2, 3}, {1, 2, 3, 4, 5, 6});
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_THAT(refused(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length))),
                AllOf(HasSubstr("0.npy: "), HasSubstr("cut short")))
        << length;
  auto longer = whole;
  longer.push_back(7);
  EXPECT_THAT(refused(longer), HasSubstr("134 bytes expected from its header, 135 found; the file has bytes after"));
}

TEST(Npy, OtherFilesAreRefused) {
  EXPECT_THAT(refused(noise(200)), HasSubstr("not a NumPy file"));
  EXPECT_THAT(refused({'P', 'K'}), HasSubstr("not a NumPy file"));
}

TEST(Npy, OtherTypesAreRefused) {
  EXPECT_THAT(refused(npy({3}, noise(12), "<i4")), HasSubstr("its elements are of type <i4"));
  EXPECT_THAT(refused(npy({3}, noise(12), ">f4")), HasSubstr("its elements are of type >f4"));
  EXPECT_THAT(refused(npy({3}, noise(12), "|O")), HasSubstr("its elements are of type |O"));
  EXPECT_THAT(refused_header("{'descr': [('a', '|u1')], 'fortran_order': False, 'shape': (6,), }"),
              HasSubstr("several fields"));
}

TEST(Npy, AColumnMajorArrayIsRefused) {
  EXPECT_THAT(refused_header("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }"), HasSubstr("column-major"));
}

TEST(Npy, ImpossibleSizesAreRefusedBeforeMemoryIsAllocated) {
  for (const std::string shape : {"(4611686018427387904, 4)", "(4294967296, 4294967296)", "(1099511627777,)"})
    EXPECT_THAT(refused_header("{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + "}"),
                HasSubstr("which is impossible"));
  EXPECT_THAT(refused_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1099511627776,)}"),
              HasSubstr("cut short"));
}

TEST(Npy, InvalidHeadersAreRefused) {
  const std::string type = "'descr': '|u1'", order = "'fortran_order': False", shape = "'shape': (6,)";
  const auto header = [](const std::vector<std::string>& parts) {
    std::string text = "{";
    for (const auto& part : parts) text += part + ", ";
    return text + "}";
  };
  EXPECT_EQ(refused_header(header({type, order, shape})), "(nothing was refused)");
  for (const auto& text :
       {std::string(), std::string("{"), header({type, order}), header({type, shape}), header({order, shape}),
        header({type, order, shape, shape}), header({type, order, shape, "'more': 1"}),
        header({type, order, shape}) + "x", header({type, "'fortran_order': 0", shape}),
        header({type, order, "'shape': 6"}), header({type, order, "'shape': (-6,)"}),
        header({type, order, "'shape': (6 6)"}), header({type, order, "'shape': (99999999999999999999999,)"}),
        header({"'descr': 'u1", order, shape})})
    EXPECT_THAT(refused_header(text), HasSubstr("header")) << text;
}

TEST(Npy, DamagedFilesAreReadOrRefused) {
  const auto whole = npy({2, 3}, {1, 2, 3, 4, 5, 6});
  int refusals = 0;
  for (std::size_t place = 0; place < whole.size(); ++place)
    for (int value = 0; value < 256; value += 5) {
      auto damaged = whole;
      damaged[place] = static_cast<std::uint8_t>(value);
      refusals += refused(damaged) != "(nothing was refused)";
    }
  EXPECT_GT(refusals, 2000);
}

}  // namespace
}  // namespace cambium
