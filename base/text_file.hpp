// Reads a whole file as text.
#pragma once

#include <filesystem>
#include <string>

namespace cambium {

// Throws InputError if the file is missing or is a folder, EnvironmentError if reading it fails.
std::string read_text_file(const std::filesystem::path& file);

}  // namespace cambium
