// The frame of a page: everything in one file, no scripts, nothing from elsewhere.
#pragma once

#include <string>

namespace cambium {

// `body` is HTML; the title is text.
std::string page(const std::string& title, const std::string& body);

}  // namespace cambium
