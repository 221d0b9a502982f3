// Keys of configurations in TOML files, as text. Messages name the file and the line.
#pragma once

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include <filesystem>
#include <string>

namespace cambium {

// Throws InputError for a file that cannot be read.
std::string whole_text(const std::filesystem::path& file);
// Throws InputError for what is not TOML, too.
toml::table read_toml(const std::filesystem::path& file);
toml::table parse_toml(const std::string& text, const std::string& source);

std::string where(const std::string& source, const toml::node& node);  // "FILE line N"

// Text, a number or a truth value, as a flag would give it; `name` is what messages call it.
std::string text_of(const toml::node& value, const std::string& source, const std::string& name);

}  // namespace cambium
