// cambium keys: prints the configuration keys as the page docs/configuration.md.

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "lab/config/key.hpp"

namespace cambium::cli {

void add_keys(CLI::App& app) {
  auto* command = app.add_subcommand("keys", "Describe the configuration keys of train, plan and sweep, as Markdown");
  command->callback([] { fmt::print("{}", keys_as_markdown()); });
}

}  // namespace cambium::cli
