#include "lab/results/safetensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <fstream>
#include <limits>
#include <random>

#include "tests/streams/data/made_files.hpp"

namespace cambium {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Safetensors : public testing::Test {
 protected:
  // The message of what reading such a file throws; it must name the file.
  std::string reading(const Bytes& bytes) {
    write_file(file_, bytes);
    const auto message = refusal([&] { TensorFile::read(file_); });
    EXPECT_THAT(message, HasSubstr(file_.string()));
    return message;
  }
  std::string reading(const std::string& header, std::size_t data_bytes) {
    return reading(file_of(header, data_bytes));
  }

  static Bytes file_of(const std::string& header, std::size_t data_bytes) {
    return file_of(header.size(), header, data_bytes);
  }
  static Bytes file_of(std::uint64_t header_size, const std::string& header, std::size_t data_bytes) {
    Bytes bytes;
    for (int byte = 0; byte < 8; ++byte) bytes.push_back(static_cast<std::uint8_t>(header_size >> (8 * byte)));
    bytes.insert(bytes.end(), header.begin(), header.end());
    bytes.resize(bytes.size() + data_bytes);
    return bytes;
  }

  TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "some.safetensors";
};

template <class T>
class SafetensorsOf : public Safetensors {};
using ElementTypes =
    testing::Types<float, double, std::int32_t, std::int64_t, std::uint8_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(SafetensorsOf, ElementTypes);

TYPED_TEST(SafetensorsOf, ValuesComeBackAsTheyWere) {
  using Limits = std::numeric_limits<TypeParam>;
  const std::vector<TypeParam> values{Limits::lowest(), Limits::max(), Limits::min(), 0, 1, 42};
  TensorFile written;
  written.tensors["values"] = Tensor::of<TypeParam>({2, 3}, values);
  written.write(this->file_);
  const TensorFile read = TensorFile::read(this->file_);
  EXPECT_EQ(read.template values<TypeParam>("values", {2, 3}), values);
}

TEST_F(Safetensors, NaNAndInfinityKeepTheirBits) {
  const std::vector<float> values{std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity(),
                                  std::numeric_limits<float>::denorm_min(), -0.0f};
  TensorFile written;
  written.tensors["values"] = Tensor::of<float>({4}, values);
  written.write(file_);
  const auto read = TensorFile::read(file_).values<float>("values", {4});
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(std::bit_cast<std::uint32_t>(read[i]), std::bit_cast<std::uint32_t>(values[i]));
}

TEST_F(Safetensors, MetadataScalarsAndEmptyTensorsReadBack) {
  TensorFile written;
  written.metadata = {{"config", "{\"lr\": 0.1}"}, {"quoted", "\"\\\n\t\x01"}, {"Größe", "π"}, {"empty", ""}};
  written.tensors["scalar"] = Tensor::of<float>({}, std::vector{2.5f});
  written.tensors["empty"] = Tensor::of<double>({0, 7}, std::vector<double>{});
  written.write(file_);
  const auto read = TensorFile::read(file_);
  EXPECT_EQ(read.metadata, written.metadata);
  EXPECT_EQ(read.values<float>("scalar", {}), std::vector{2.5f});
  EXPECT_TRUE(read.values<double>("empty", {0, 7}).empty());
}

TEST_F(Safetensors, AnEmptyFileReadsBack) {
  TensorFile().write(file_);
  EXPECT_TRUE(TensorFile::read(file_).tensors.empty());
}

// 8 bytes of length, little-endian; the header, filled up with blanks; the bytes of the tensors.
TEST_F(Safetensors, AFileHasTheDocumentedBytes) {
  TensorFile written;
  written.metadata["by"] = "hand";
  written.tensors["a"] = Tensor::of<float>({1, 2}, std::vector{1.0f, -2.0f});
  written.tensors["b"] = Tensor::of<std::uint8_t>({3}, std::vector<std::uint8_t>{7, 8, 9});
  written.write(file_);
  std::string header = R"({"__metadata__":{"by":"hand"},"a":{"data_offsets":[0,8],"dtype":"F32","shape":[1,2]},)"
                       R"("b":{"data_offsets":[8,11],"dtype":"U8","shape":[3]}})";
  while (header.size() % 8 != 0) header += ' ';
  Bytes expected{static_cast<std::uint8_t>(header.size()), 0, 0, 0, 0, 0, 0, 0};
  expected.insert(expected.end(), header.begin(), header.end());
  for (const int byte : {0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x00, 0xc0, 7, 8, 9})
    expected.push_back(static_cast<std::uint8_t>(byte));
  EXPECT_EQ(read_whole(file_), expected);
}

// PyTorch views a tensor in place, which it refuses to do at an odd address.
TEST_F(Safetensors, EveryTensorIsAlignedToItsElementSize) {
  TensorFile written;
  written.tensors["a"] = Tensor::of<std::uint8_t>({3}, std::vector<std::uint8_t>{1, 2, 3});
  written.tensors["b"] = Tensor::of<float>({3}, std::vector{1.0f, 2.0f, 3.0f});
  written.tensors["c"] = Tensor::of<double>({1}, std::vector{1.0});
  written.tensors["d"] = Tensor::of<std::uint8_t>({1}, std::vector<std::uint8_t>{4});
  written.tensors["e"] = Tensor::of<std::uint64_t>({1}, std::vector<std::uint64_t>{5});
  written.write(file_);
  const auto bytes = read_whole(file_);
  const std::size_t data = 8 + bytes[0] + std::size_t{256} * bytes[1];
  // Where each one's first byte is, found by its value.
  const auto find = [&](std::initializer_list<int> pattern) {
    const auto at = std::search(bytes.begin() + static_cast<std::ptrdiff_t>(data), bytes.end(), pattern.begin(),
                                pattern.end(), [](std::uint8_t a, int b) { return a == b; });
    EXPECT_NE(at, bytes.end());
    return static_cast<std::size_t>(at - bytes.begin());
  };
  EXPECT_EQ(find({0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}) % 4, 0u);
  EXPECT_EQ(find({0, 0, 0, 0, 0, 0, 0xf0, 0x3f}) % 8, 0u);
  EXPECT_EQ(find({5, 0, 0, 0, 0, 0, 0, 0}) % 8, 0u);
}

TEST_F(Safetensors, AFileWithItsHeaderInAnyOrderAndLayoutIsRead) {
  auto bytes = file_of(R"( { "b" : {"shape":[2],"dtype":"U8","data_offsets":[0,2]},
                             "a" : {"dtype":"I32","shape":[1],"data_offsets":[2,6]} } )",
                       6);
  bytes[bytes.size() - 5] = 9;
  bytes[bytes.size() - 4] = 1;
  write_file(file_, bytes);
  const auto read = TensorFile::read(file_);
  EXPECT_EQ(read.values<std::uint8_t>("b", {2}), (std::vector<std::uint8_t>{0, 9}));
  EXPECT_EQ(read.values<std::int32_t>("a", {1}), std::vector<std::int32_t>{1});
}

TEST_F(Safetensors, FoldersAndMissingFilesAreRejected) {
  const auto missing = refusal([&] { TensorFile::read(file_); });
  EXPECT_THAT(missing, AllOf(HasSubstr(file_.string()), HasSubstr("No such file")));
  const auto folder = refusal([&] { TensorFile::read(folder_.path()); });
  EXPECT_THAT(folder, AllOf(HasSubstr(folder_.path().string()), HasSubstr("folder")));
}

TEST_F(Safetensors, AFileTooShortForItsHeaderIsRejected) {
  EXPECT_THAT(reading(Bytes{}), HasSubstr("0 bytes"));
  EXPECT_THAT(reading(Bytes{1, 2, 3}), HasSubstr("3 bytes"));
  EXPECT_THAT(reading(file_of(3, "{}", 0)), HasSubstr("cut short"));
}

TEST_F(Safetensors, AHugeHeaderIsRejectedWithoutAllocatingMemory) {
  for (const std::uint64_t size :
       {~std::uint64_t{0}, ~std::uint64_t{7}, std::uint64_t{1} << 63, std::uint64_t{1} << 40})
    EXPECT_THAT(reading(file_of(size, "{}", 100)), HasSubstr("not a safetensors file"));
}

TEST_F(Safetensors, AHeaderThatIsNotJsonIsRejected) {
  for (const std::string header : {"", "{", "{}}", "{\"a\"}", "hello", "{\"a\": nan}", "\xff\xfe{}"})
    EXPECT_THAT(reading(header, 8), HasSubstr("header")) << header;
}

TEST_F(Safetensors, AHeaderWithAnotherStructureIsRejected) {
  for (const std::string header :
       {"null", "7", "[]", "[1]", "\"text\"", R"({"a": 1})", R"({"a": {}})", R"({"a": {"dtype": "F32"}})",
        R"({"a": {"dtype": 1, "shape": [], "data_offsets": [0, 4]}})",
        R"({"a": {"dtype": "F32", "shape": 1, "data_offsets": [0, 4]}})",
        R"({"a": {"dtype": "F32", "shape": ["1"], "data_offsets": [0, 4]}})",
        R"({"a": {"dtype": "F32", "shape": [1.5], "data_offsets": [0, 4]}})",
        R"({"a": {"dtype": "F32", "shape": [1e300], "data_offsets": [0, 4]}})",
        R"({"a": {"dtype": "F32", "shape": [true], "data_offsets": [0, 4]}})",
        R"({"a": {"dtype": "F32", "shape": [], "data_offsets": [0.5, 4]}})", R"({"__metadata__": 1})",
        R"({"__metadata__": {"a": 1}})", R"({"__metadata__": ["a"]})"})
    EXPECT_THAT(reading(header, 4), HasSubstr("header")) << header;
}

TEST_F(Safetensors, AnUnknownTypeIsRejectedByName) {
  EXPECT_THAT(reading(R"({"a": {"dtype": "BF16", "shape": [2], "data_offsets": [0, 4]}})", 4),
              AllOf(HasSubstr(": a:"), HasSubstr("BF16")));
}

TEST_F(Safetensors, ByteRangesOutsideTheFileAreRejected) {
  for (const std::string offsets : {"[0, 12]", "[8, 12]", "[4, 0]", "[-4, 0]", "[0]", "[0, 4, 8]", "[]",
                                    "[18446744073709551612, 18446744073709551616]", "[0, 18446744073709551615]"})
    EXPECT_THAT(reading(R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": )" + offsets + "}}", 8),
                HasSubstr(": a:"))
        << offsets;
}

TEST_F(Safetensors, ASizeThatDoesNotFitTheShapeIsRejected) {
  for (const std::string shape : {"[2]", "[0]", "[]", "[3, 2]", "[4, 1]"})
    EXPECT_THAT(reading(R"({"a": {"dtype": "F32", "shape": )" + shape + R"(, "data_offsets": [0, 12]}})", 12),
                HasSubstr("12 bytes"))
        << shape;
}

TEST_F(Safetensors, ImpossibleShapesAreRejected) {
  // 2^40 x 2^40 elements, and products that wrap around to what fits.
  for (const std::string shape :
       {"[-1]", "[-1, -1]", "[1099511627776, 1099511627776]", "[4294967296, 4294967296]", "[9223372036854775808, 2]",
        "[18446744073709551615]", "[2305843009213693952, 8]", "[281474976710656, 65536]", "[99999999999999999999999]"})
    EXPECT_THAT(reading(R"({"a": {"dtype": "F32", "shape": )" + shape + R"(, "data_offsets": [0, 4]}})", 4),
                testing::AnyOf(HasSubstr("impossible shape"), HasSubstr("header"), HasSubstr("4 bytes for")))
        << shape;
}

TEST_F(Safetensors, TensorsThatOverlapOrLeaveBytesUnusedAreRejected) {
  EXPECT_THAT(reading(R"({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
                          "b": {"dtype": "F32", "shape": [2], "data_offsets": [4, 12]}})",
                      12),
              HasSubstr(": b:"));
  EXPECT_THAT(reading(R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})", 8), HasSubstr(": a:"));
  EXPECT_THAT(reading(R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}})", 8), HasSubstr("4 bytes"));
}

TEST_F(Safetensors, EveryTruncationIsRejected) {
  TensorFile whole;
  whole.metadata["key"] = "value";
  whole.tensors["a"] = Tensor::of<float>({2}, std::vector{1.0f, 2.0f});
  whole.tensors["b"] = Tensor::of<std::uint8_t>({1}, std::vector<std::uint8_t>{1});
  whole.write(file_);
  const auto bytes = read_whole(file_);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THAT(reading(Bytes(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length))),
                testing::Not(HasSubstr("nothing was refused")))
        << length;
}

TEST_F(Safetensors, AMissingTensorIsAnErrorThatNamesTensorAndFile) {
  TensorFile written;
  written.tensors["fc1.weight"] = Tensor::of<float>({2, 3}, std::vector<float>(6));
  written.write(file_);
  const auto read = TensorFile::read(file_);
  const auto in_file = HasSubstr(file_.string());
  EXPECT_THAT(refusal([&] { read.values<float>("fc9.weight", {2, 3}); }), AllOf(in_file, HasSubstr("fc9.weight")));
  EXPECT_THAT(refusal([&] {
                read.values<double>("fc1.weight", {2, 3});
              }),
              AllOf(in_file, HasSubstr("fc1.weight"), HasSubstr("F32"), HasSubstr("F64")));
  EXPECT_THAT(refusal([&] {
                read.values<float>("fc1.weight", {3, 2});
              }),
              AllOf(in_file, HasSubstr("fc1.weight"), HasSubstr("(2, 3)"), HasSubstr("(3, 2)")));
  EXPECT_THAT(refusal([&] { read.values<float>("fc1.weight", {6}); }), AllOf(in_file, HasSubstr("fc1.weight")));
  EXPECT_THAT(refusal([&] { read.text("epoch"); }), AllOf(in_file, HasSubstr("epoch")));
}

TEST_F(Safetensors, AnOpenAxisTakesAnyLength) {
  TensorFile file;
  file.tensors["a"] = Tensor::of<float>({2, 3}, std::vector<float>(6));
  EXPECT_EQ(file.values<float>("a", {-1, 3}).size(), 6u);
  EXPECT_NE(refusal([&] { file.values<float>("a", {-1, 2}); }), "(nothing was refused)");
}

class SafetensorsOverAnOldFile : public Safetensors {
 protected:
  SafetensorsOverAnOldFile() { write_file(file_, old_); }
  void write() {
    TensorFile file;
    file.tensors["a"] = Tensor::of<float>({1000}, std::vector<float>(1000));
    file.write(file_);
  }
  std::string writing() {
    return refusal([&] { write(); });
  }
  Bytes old_ = noise(100);
  std::filesystem::path aside_ = file_.string() + ".part";
};

TEST_F(SafetensorsOverAnOldFile, AFullDiskLeavesTheOldOne) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "/dev/full is not here";
  std::filesystem::create_symlink("/dev/full", aside_);
  EXPECT_THAT([&] { write(); }, testing::ThrowsMessage<EnvironmentError>(
                                    AllOf(HasSubstr(file_.string()), HasSubstr("No space"), HasSubstr("Free space"))));
  EXPECT_EQ(read_whole(file_), old_);
}

TEST_F(SafetensorsOverAnOldFile, AFolderInTheWayLeavesTheOldOne) {
  std::filesystem::create_directory(aside_);
  EXPECT_THAT(writing(), HasSubstr(file_.string()));
  EXPECT_EQ(read_whole(file_), old_);
}

TEST_F(SafetensorsOverAnOldFile, AFailedRenameLeavesNoTemporaryFile) {
  std::filesystem::remove(file_);
  std::filesystem::create_directory(file_);
  EXPECT_THAT(writing(), HasSubstr(file_.string()));
  EXPECT_FALSE(std::filesystem::exists(aside_));
}

TEST_F(Safetensors, AMissingFolderIsNamedInTheError) {
  EXPECT_THAT(refusal([&] { TensorFile().write(folder_.path() / "nowhere/a.safetensors"); }), HasSubstr("nowhere"));
}

TEST_F(Safetensors, RandomlyDamagedFilesAreReadOrRejected) {
  TensorFile whole;
  whole.metadata = {{"format", "x"}, {"epoch", "12"}};
  whole.tensors["a"] = Tensor::of<float>({2, 2}, std::vector<float>(4, 1.0f));
  whole.tensors["b"] = Tensor::of<std::uint64_t>({1}, std::vector<std::uint64_t>{3});
  whole.write(file_);
  const auto original = read_whole(file_);
  std::mt19937 random(1);
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random()) % bound; };
  const std::string likely = "0123456789-.,:[]{}\"eEnt \\u";
  int refused = 0, read = 0;
  for (int i = 0; i < 5000; ++i) {
    auto bytes = original;
    for (std::size_t change = 0; change < 1 + below(3); ++change) {
      auto& byte = bytes[below(bytes.size())];
      byte = below(2) == 0 ? static_cast<std::uint8_t>(byte ^ (1u << below(8)))
                           : static_cast<std::uint8_t>(likely[below(likely.size())]);
    }
    if (below(20) == 0) bytes.resize(below(bytes.size() + 16));
    write_file(file_, bytes);
    try {
      TensorFile::read(file_);
      ++read;
    } catch (const InputError&) {
      ++refused;
    } catch (const std::exception& error) {
      FAIL() << "mutation " << i << ": " << error.what();
    }
  }
  EXPECT_GT(read, 100);  // the values themselves, blanks
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace cambium
