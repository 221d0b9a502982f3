#include "cli/command_line.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/error.hpp"

namespace cambium::cli {
namespace {

template <class Value>
struct ElementOf {
  using type = Value;
};
template <class Value>
struct ElementOf<std::vector<Value>> {
  using type = Value;
};
template <class Value>
struct ElementOf<std::optional<Value>> {
  using type = Value;
};

template <class Value>
constexpr bool is_list = false;
template <class Value>
constexpr bool is_list<std::vector<Value>> = true;

template <class Number>
std::string range_text(const std::pair<double, double>& range) {
  return fmt::format("{} to {}", static_cast<Number>(range.first), static_cast<Number>(range.second));
}

// Refuses text that is no number of this type, or outside of the range.
template <class Number>
CLI::Validator number_check(const std::optional<std::pair<double, double>>& range) {
  return CLI::Validator(
      [range](const std::string& text) -> std::string {
        Number number{};
        const bool within =
            CLI::detail::lexical_cast(text, number) && std::isfinite(static_cast<double>(number)) &&
            (!range || (number >= static_cast<Number>(range->first) && number <= static_cast<Number>(range->second)));
        if (within) return {};
        return fmt::format("{} is not a {}{}", text, std::is_integral_v<Number> ? "whole number" : "number",
                           range ? " from " + range_text<Number>(*range) : "");
      },
      "");
}

CLI::Validator choice_check(const std::vector<std::string>& choices) {
  return CLI::Validator(
      [choices](const std::string& text) -> std::string {
        if (std::find(choices.begin(), choices.end(), text) != choices.end()) return {};
        return fmt::format("{} is not one of {}", text, fmt::join(choices, ", "));
      },
      "");
}

template <class Value>
std::string default_text(const Value& value) {
  if constexpr (is_list<Value>)
    return fmt::format("{}", fmt::join(value, ","));
  else if constexpr (std::is_same_v<Value, std::optional<unsigned>>)
    return value ? fmt::format("{}", *value) : "";
  else
    return fmt::format("{}", value);
}

// The help line: what the option does, then its range and its default.
template <class Value>
std::string help_line(const std::string& help, const Value& value, const OptionTraits& traits) {
  std::string line = help;
  if constexpr (std::is_arithmetic_v<typename ElementOf<Value>::type>)
    if (traits.range) line += fmt::format(" ({})", range_text<typename ElementOf<Value>::type>(*traits.range));
  if (!traits.default_text.empty())
    line += ". Default: " + traits.default_text;
  else if (traits.show_default)
    line += ". Default: " + default_text(value);
  return line;
}

template <class Element>
std::string value_name(const OptionTraits& traits) {
  if (!traits.value.empty()) return traits.value;
  if (!traits.choices.empty()) return fmt::format("{}", fmt::join(traits.choices, "|"));
  if constexpr (std::is_integral_v<Element>) return "N";
  return std::is_floating_point_v<Element> ? "X" : "TEXT";
}

bool is_positional(const std::string& name) { return !name.starts_with("-"); }

// A word that the parser did not know, and the words that it knows at that place.
struct UnknownWord {
  std::string command;  // the command that the words before it name
  std::string word;     // empty: all words are known
  std::vector<std::string> known;
};

UnknownWord find_unknown_word(const CLI::App& parser, int argc, char** argv) {
  const CLI::App* command = &parser;
  UnknownWord found{parser.get_name(), {}, {}};
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto commands = command->get_subcommands([](const CLI::App*) { return true; });
    const auto named =
        std::find_if(commands.begin(), commands.end(), [&](const CLI::App* each) { return each->get_name() == word; });
    if (named != commands.end()) {
      command = *named;
      found.command += " " + word;
      continue;
    }
    std::vector<std::string> known;
    if (word.starts_with("--")) {
      for (const CLI::App* level = command; level != nullptr; level = level->get_parent())
        for (const auto* option : level->get_options())
          for (const auto& name : option->get_lnames()) known.push_back("--" + name);
    } else if (commands.empty() || word.starts_with("-")) {
      continue;  // a value
    } else {
      for (const auto* each : commands) known.push_back(each->get_name());
    }
    const std::string flag = word.substr(0, word.find('='));
    if (std::find(known.begin(), known.end(), flag) != known.end()) continue;
    if (found.word.empty()) found.word = flag, found.known = std::move(known);
  }
  return found;
}

// What is wrong, and what to do next.
std::string message(const CLI::ParseError& error, const UnknownWord& unknown) {
  const bool word_expected = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr ||
                             dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  std::string text = fmt::format("{}.", error.what());
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr && text.ends_with(" missing."))
    text = text.substr(0, text.find(':')) + ": the value is missing.";
  if (word_expected && !unknown.word.empty()) {
    const bool option = unknown.word.starts_with("-");
    text = fmt::format("{}: `{}` has no such {}.", unknown.word, unknown.command, option ? "option" : "subcommand");
    if (const auto near = nearest(unknown.word, unknown.known); !near.empty())
      text += fmt::format(" Did you mean {}?", near);
    else if (!option)
      text += fmt::format(" It has {}.", fmt::join(unknown.known, ", "));
  }
  return fmt::format("cambium: {}\nRun `{} --help` for its usage.\n", text, unknown.command);
}

}  // namespace

Command::Command(CLI::App& parser, const Command*& chosen) : parser_(parser), chosen_(chosen) {}

Command& Command::add_command(const std::string& name, const std::string& description) {
  return *commands_.emplace_back(std::make_unique<Command>(*parser_.add_subcommand(name, description), chosen_));
}

void Command::require_command() { parser_.require_subcommand(1); }

void Command::set_footer(const std::string& text) { parser_.footer(text); }

void Command::set_action(std::function<int()> action) {
  action_ = std::move(action);
  parser_.callback([this] { chosen_ = this; });
}

template <class Value>
void Command::add_option(const std::string& name, Value& value, const std::string& help, const OptionTraits& traits) {
  using Element = typename ElementOf<Value>::type;
  auto& option = *parser_.add_option(name, value, help_line(help, value, traits));
  if constexpr (std::is_arithmetic_v<Element>) option.check(number_check<Element>(traits.range));
  if constexpr (is_list<Value>) {
    if (traits.list == ListForm::commas) option.delimiter(',');
    if (traits.list == ListForm::repeated) option.allow_extra_args(false);
  }
  if (is_positional(name))
    option.type_name("");
  else
    option.option_text(value_name<Element>(traits));
  apply(option, traits);
}

template void Command::add_option(const std::string&, std::string&, const std::string&, const OptionTraits&);
template void Command::add_option(const std::string&, int&, const std::string&, const OptionTraits&);
template void Command::add_option(const std::string&, unsigned&, const std::string&, const OptionTraits&);
template void Command::add_option(const std::string&, double&, const std::string&, const OptionTraits&);
template void Command::add_option(const std::string&, std::size_t&, const std::string&, const OptionTraits&);
template void Command::add_option(const std::string&, std::optional<unsigned>&, const std::string&,
                                  const OptionTraits&);
template void Command::add_option(const std::string&, std::vector<std::string>&, const std::string&,
                                  const OptionTraits&);
template void Command::add_option(const std::string&, std::vector<int>&, const std::string&, const OptionTraits&);
template void Command::add_option(const std::string&, std::vector<double>&, const std::string&, const OptionTraits&);

void Command::add_option_with(const std::string& name, std::function<void(const std::string&)> set,
                              const std::string& help, const OptionTraits& traits) {
  auto& option = *parser_.add_option_function<std::string>(name, set, help);
  option.option_text(value_name<std::string>(traits));
  apply(option, traits);
}

void Command::apply(CLI::Option& option, const OptionTraits& traits) const {
  if (!traits.choices.empty()) option.check(choice_check(traits.choices));
  if (traits.required) option.required();
  if (!traits.needs.empty()) option.needs(parser_.get_option(traits.needs));
  if (traits.value_optional) option.expected(0, 1);
  if (!traits.group.empty()) option.group(traits.group);
  if (traits.hidden) option.group("");
}

void Command::add_flag(const std::string& name, bool& value, const std::string& help) {
  parser_.add_flag(name, value, help);
}

void Command::add_flag_with(const std::string& name, std::function<void()> set, const std::string& help,
                            const OptionTraits& traits) {
  apply(*parser_.add_flag_callback(name, std::move(set), help), traits);
}

bool Command::given(const std::string& name) const { return parser_.count(name) > 0; }

CommandLine::CommandLine(const std::string& program, const std::string& description, const std::string& version)
    : parser_(std::make_unique<CLI::App>(description)) {
  parser_->name(program);
  parser_->set_version_flag("--version", program + " " + version, "Print the version and exit");
  parser_->set_help_flag("-h,--help", "Print this help and exit");
  parser_->fallthrough();
  parser_->get_formatter()->column_width(36);
  root_ = std::make_unique<Command>(*parser_, chosen_);
}

CommandLine::~CommandLine() = default;

int CommandLine::run(int argc, char** argv, const std::function<void()>& parsed) {
  try {
    parser_->parse(argc, argv);
  } catch (const CLI::Success& printed) {  // --help, --version
    return parser_->exit(printed);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}", message(error, find_unknown_word(*parser_, argc, argv)));
    return exit_input;
  }
  parsed();
  expect(chosen_ != nullptr, "the command line names no command");
  return chosen_->run();
}

}  // namespace cambium::cli
