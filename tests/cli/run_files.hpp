// Starting the program, and reading the files that it writes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "lab/results/safetensors.hpp"
#include "tests/run_program.hpp"
#include "tests/streams/data/made_files.hpp"

inline Ended cambium_program(const std::string& arguments) { return run_program(CAMBIUM_PROGRAM " " + arguments); }

inline std::string text_of(const std::filesystem::path& file) {
  const auto bytes = read_whole(file);
  return {bytes.begin(), bytes.end()};
}

inline nlohmann::json json_in(const std::filesystem::path& file) { return nlohmann::json::parse(text_of(file)); }

// The objects of a file in JSON Lines.
inline std::vector<nlohmann::json> lines_of(const std::filesystem::path& file) {
  std::vector<nlohmann::json> lines;
  std::istringstream text(text_of(file));
  for (std::string line; std::getline(text, line);) lines.push_back(nlohmann::json::parse(line));
  return lines;
}

// The rows of a CSV file without quotes, each by the names of the columns.
using CsvRow = std::map<std::string, std::string>;
inline std::vector<CsvRow> table_of(const std::filesystem::path& file) {
  const auto fields_of = [](const std::string& line) {
    std::vector<std::string> fields{""};
    for (const char c : line)
      if (c == ',')
        fields.emplace_back();
      else
        fields.back() += c;
    return fields;
  };
  std::istringstream text(text_of(file));
  std::string line;
  std::getline(text, line);
  const auto names = fields_of(line);
  std::vector<CsvRow> rows;
  while (std::getline(text, line)) {
    const auto fields = fields_of(line);
    EXPECT_EQ(fields.size(), names.size()) << line;
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < std::min(names.size(), fields.size()); ++i) row[names[i]] = fields[i];
  }
  return rows;
}

// The bytes of every file in a folder, by file name.
inline std::map<std::string, Bytes> contents_of(const std::filesystem::path& folder) {
  std::map<std::string, Bytes> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files[entry.path().filename().string()] = read_whole(entry.path());
  return files;
}

inline std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : contents_of(folder)) names.push_back(name);
  return names;
}

// Expects the same files with the same bytes, except sessions.jsonl, which contains times.
inline void expect_same_files(const std::filesystem::path& expected_folder, const std::filesystem::path& folder) {
  auto expected = contents_of(expected_folder), found = contents_of(folder);
  expected.erase("sessions.jsonl");
  found.erase("sessions.jsonl");
  for (const auto& [name, bytes] : expected)
    EXPECT_TRUE(found.contains(name) && found.at(name) == bytes) << (folder / name) << " differs or is missing";
  for (const auto& [name, bytes] : found) EXPECT_TRUE(expected.contains(name)) << (folder / name) << " is left over";
}

// The values of the network with this index in a tensor whose first axis is the network.
template <class T>
std::vector<T> network(const cambium::TensorFile& file, const std::string& name, std::size_t index) {
  const auto& shape = file.tensors.at(name).shape;
  const auto all = file.values<T>(name, shape);
  const std::size_t each = all.size() / static_cast<std::size_t>(shape.at(0));
  return {all.begin() + static_cast<std::ptrdiff_t>(index * each),
          all.begin() + static_cast<std::ptrdiff_t>((index + 1) * each)};
}
