// The command line: commands, their options, and the parser that reads them.
//
// Only command_line.cpp includes the parser library CLI11, whose header takes longer to compile than most commands. An
// option writes its value into a variable that the command owns and that must outlive the parser. Wrong words print a
// message that names the nearest known one, and end the program with exit_input.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace cambium::cli {

// How the values of a list are separated.
enum class ListForm {
  spaces,   // --batch 16 64
  commas,   // --batch 16,64; spaces work, too
  repeated  // --target sm_80 --target sm_90
};

// What an option accepts, and what its help line shows beside the description.
struct OptionTraits {
  std::string value = {};                               // name of the value in the help: FILE, N
  std::optional<std::pair<double, double>> range = {};  // lowest and highest value
  std::vector<std::string> choices = {};                // all values
  ListForm list = ListForm::spaces;                     // of an option that takes a list
  bool required = false, show_default = false;
  std::string default_text = {};  // in the help, instead of the value of the variable
  std::string needs = {};         // name of an option or positional argument that must be given, too
  std::string group = {};         // heading of its part of the help
  bool value_optional = false;
  bool hidden = false;  // not in the help
};

class Command {
 public:
  Command(CLI::App& parser, const Command*& chosen);

  Command& add_command(const std::string& name, const std::string& description);
  void require_command();
  // Text below the options in the help.
  void set_footer(const std::string& text);
  // The function that runs the command; returns its exit code.
  void set_action(std::function<int()> action);
  int run() const { return action_(); }

  // `name` starts with "--" for an option; else it is a positional argument. Value: std::string, int, unsigned, double,
  // std::size_t, std::optional<unsigned>, or a std::vector of strings, ints or doubles.
  template <class Value>
  void add_option(const std::string& name, Value& value, const std::string& help, const OptionTraits& traits = {});
  // The same with a function that receives the text; "" for a missing optional value.
  void add_option_with(const std::string& name, std::function<void(const std::string&)> set, const std::string& help,
                       const OptionTraits& traits = {});
  void add_flag(const std::string& name, bool& value, const std::string& help);
  void add_flag_with(const std::string& name, std::function<void()> set, const std::string& help,
                     const OptionTraits& traits = {});

  // Whether the option was on the command line.
  bool given(const std::string& name) const;

 private:
  void apply(CLI::Option& option, const OptionTraits& traits) const;

  CLI::App& parser_;
  const Command*& chosen_;
  std::function<int()> action_;
  std::vector<std::unique_ptr<Command>> commands_;
};

class CommandLine {
 public:
  CommandLine(const std::string& program, const std::string& description, const std::string& version);
  ~CommandLine();

  Command& root() { return *root_; }

  // Parses the words, calls `parsed`, runs the command and returns its exit code. Help and the version are printed
  // here.
  int run(int argc, char** argv, const std::function<void()>& parsed);

 private:
  std::unique_ptr<CLI::App> parser_;
  const Command* chosen_ = nullptr;
  std::unique_ptr<Command> root_;
};

}  // namespace cambium::cli
