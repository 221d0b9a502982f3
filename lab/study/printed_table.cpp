#include "lab/study/printed_table.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/toml_file.hpp"
#include "lab/config/key.hpp"

namespace cambium {
namespace {

constexpr double students_quantile = 2.2621571627409915;  // 0.975 quantile of Student's t for ten seeds
const std::string plus_minus = "±";

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '|');) fields.push_back(trimmed(field));
  if (line.ends_with('|')) fields.emplace_back();
  return fields;
}

bool is_key(const std::string& name) {
  return name == "variant" || name == "first" || name == "second" || find_key(name) != nullptr;
}

class TableReader {
 public:
  explicit TableReader(const TomlValue& table) : table_(table) {
    static const std::vector<std::string> known{"columns", "printed", "quantile", "test"};
    for (const auto& [name, node] : table_.entries) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      const auto near = nearest(name, known);
      throw_input_error("{}: unknown key '{}' of [table]. {}", node.where(), name,
                        near.empty() ? fmt::format("Known keys: {}.", fmt::join(known, ", "))
                                     : fmt::format("Did you mean {}?", near));
    }
  }

  PrintedTable read() {
    PrintedTable result;
    if (const auto* node = table_.find("test")) {
      if (node->scalar("test") != "welch")
        throw_input_error("{}: unknown test. Write test = \"welch\".", node->where());
      result.welch = true;
    }
    if (const auto* node = table_.find("quantile")) {
      const double quantile = node->number().value_or(0);
      if (!(quantile > 0)) throw_input_error("{}: quantile must be a number above 0", node->where());
      widening_ = students_quantile / quantile;
    }
    const auto *columns = table_.find("columns"), *printed = table_.find("printed");
    if ((columns == nullptr) == (printed == nullptr))
      throw_input_error("{}: [table] needs either columns or printed", table_.where());
    if (printed != nullptr)
      read_printed(*printed, result);
    else
      read_columns(*columns, result);
    return result;
  }

 private:
  void read_columns(const TomlValue& node, PrintedTable& result) const {
    if (!node.is_array() || node.items.empty())
      throw_input_error("{}: columns must be a list of measures, such as [\"accuracy\"]", node.where());
    result.measures = node.scalars("columns");
  }

  void read_printed(const TomlValue& node, PrintedTable& result) const {
    std::istringstream lines(node.scalar("printed"));
    auto number = node.line;
    for (std::string line; std::getline(lines, line); ++number) {
      if (trimmed(line).empty()) continue;
      const auto fields = fields_of(line);
      const auto at = fmt::format("{} line {}", node.source, number + 1);
      if (result.measures.empty()) {
        for (const auto& name : fields) (is_key(name) ? result.keys : result.measures).push_back(name);
        if (result.keys.empty() || result.measures.empty() ||
            !std::all_of(fields.begin(), fields.begin() + static_cast<std::ptrdiff_t>(result.keys.size()), is_key))
          throw_input_error("{}: the first line must name keys of cells and then measures", at);
        continue;
      }
      if (fields.size() != result.keys.size() + result.measures.size())
        throw_input_error("{}: the line has {} fields, but the first line has {}", at, fields.size(),
                          result.keys.size() + result.measures.size());
      PrintedTable::Row row;
      for (std::size_t i = 0; i < fields.size(); ++i)
        if (i < result.keys.size())
          row.keys[result.keys[i]] = fields[i];
        else
          row.numbers.push_back(number_of(fields[i], at));
      result.rows.push_back(std::move(row));
    }
    if (result.rows.empty()) throw_input_error("{}: printed has no rows", node.where());
  }

  std::optional<PrintedNumber> number_of(const std::string& field, const std::string& at) const {
    if (field.empty()) return {};
    const auto sign = field.find(plus_minus);
    const auto read = [&](std::string text) {
      text = trimmed(text);
      if (text.starts_with('+')) text.erase(0, 1);
      double value = 0;
      if (!parse_number(text, value))
        throw_input_error("{}: '{}' is neither a number nor of the form 52.3 {} 0.3", at, field, plus_minus);
      return value;
    };
    if (sign == std::string::npos) return PrintedNumber{read(field), NAN};
    return PrintedNumber{read(field.substr(0, sign)), widening_ * read(field.substr(sign + plus_minus.size()))};
  }

  const TomlValue& table_;
  double widening_ = 1;
};

}  // namespace

std::optional<PrintedTable> read_table(const Experiment& experiment) {
  const auto file = parse_toml(experiment.text, experiment.name + ".toml");
  const auto* node = file.find("table");
  if (node == nullptr) return {};
  if (!node->is_table()) throw_input_error("{}: table is not a table. Write [table].", node->where());
  return TableReader(*node).read();
}

}  // namespace cambium
