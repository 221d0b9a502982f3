// cambium report: what came out of a sweep, as a page with figures.

#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/results.hpp"

namespace cambium::cli {
namespace {

struct Flags {
  std::string folder, out;
  std::vector<std::string> history;
};

void report_command(const Flags& flags) {
  fmt::print("{}\n", make_report(flags.folder, flags.out, flags.history).string());
}

}  // namespace

void add_report(CLI::App& app) {
  auto* command = app.add_subcommand("report", "Make a page of what came out of a sweep: tables, figures, histories");
  auto flags = std::make_shared<Flags>();
  command->add_option("DIR", flags->folder, "The folder of a sweep")->type_name("")->required();
  command
      ->add_option("--out", flags->out,
                   "The page; its figures go into a folder beside it. Default: report/index.html in DIR")
      ->type_name("FILE");
  command
      ->add_option("--history", flags->history,
                   "Cells whose structural history is told, by name. Default: one of every method and variant")
      ->delimiter(',')
      ->type_name("CELL[,CELL...]");
  command->footer(
      "The page needs no network. Figures are drawn by gnuplot, as the experiment's [[panel]] say (docs/figures.md); "
      "scripts and data lie beside them.");
  command->callback([flags] { report_command(*flags); });
}

}  // namespace cambium::cli
