// A complete HTML page in one file, without scripts and external resources.
#pragma once

#include <string>

namespace cambium {

// `title` is plain text, `body` is HTML.
std::string page(const std::string& title, const std::string& body);

}  // namespace cambium
