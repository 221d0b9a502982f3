#include "lab/report/panel.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"
#include "base/toml_file.hpp"
#include "lab/config/key.hpp"
#include "lab/results/labels.hpp"
#include "lab/results/measures.hpp"

namespace cambium {
namespace {

bool is_key(const std::string& name) { return name == "variant" || find_key(name) != nullptr; }

bool is_measure(const std::string& name) { return find_measure(cell_measures(), name) != nullptr; }
bool is_quantity(const std::string& name) { return find_measure(event_quantities(), name) != nullptr; }
bool is_epoch_column(const std::string& name) { return find_measure(epoch_columns(), name) != nullptr; }

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  const auto near = nearest(name, known);
  return near.empty() ? fmt::format("Known names: {}.", fmt::join(known, ", ")) : fmt::format("Did you mean {}?", near);
}

std::vector<std::string> key_names() {
  std::vector<std::string> names{"variant"};
  for (const auto& key : config_keys()) names.push_back(key.name);
  return names;
}

class PanelReader {
 public:
  explicit PanelReader(const TomlValue& table) : table_(table) {}

  Panel read() {
    check_keys();
    Panel panel;
    panel.title = text("title").value_or("");
    panel.where = filter("where");
    panel.minus = filter("minus");
    panel.reference = number("reference");
    panel.reference_x = number("reference_x");
    if (const auto* node = table_.find("spearman"); node != nullptr) {
      if (node->kind != TomlValue::Kind::truth) fail(*node, "spearman is true or false");
      panel.spearman = node->text == "yes";
    }
    panel.x = required("x");
    panel.y = list("y");
    if (panel.y.empty()) fail(table_, "the panel needs y");
    panel.kind = kind_of(panel.x);
    for (const auto& name : panel.y) check_y(panel, name);
    read_at(panel);
    read_grouping(panel);
    const bool scatter = panel.kind == Panel::Kind::cells || panel.kind == Panel::Kind::events;
    if (panel.spearman && panel.kind != Panel::Kind::cells)
      fail(*table_.find("spearman"), "spearman needs measures on both axes");
    if (panel.reference_x && !scatter)
      fail(*table_.find("reference_x"), "reference_x needs a measure or a quantity as x");
    if (!panel.minus.empty() && panel.kind != Panel::Kind::over_key)
      fail(*table_.find("minus"), "minus needs a key of configurations as x");
    return panel;
  }

 private:
  [[noreturn]] void fail(const TomlValue& node, const std::string& what) const {
    throw_input_error("{}: {}", node.where(), what);
  }

  void check_keys() const {
    static const std::vector<std::string> known{"title",  "where", "x",         "y",           "at",      "lines",
                                                "panels", "minus", "reference", "reference_x", "spearman"};
    for (const auto& [name, node] : table_.entries)
      if (std::find(known.begin(), known.end(), name) == known.end())
        fail(node, fmt::format("unknown key '{}' of a panel. {}", name, did_you_mean(name, known)));
  }

  std::optional<std::string> text(const std::string& name) const {
    const auto* node = table_.find(name);
    if (node == nullptr) return {};
    return node->scalar(name);
  }
  std::string required(const std::string& name) const {
    const auto found = text(name);
    if (!found) fail(table_, fmt::format("the panel needs {}", name));
    return *found;
  }
  std::optional<double> number(const std::string& name) const {
    const auto* node = table_.find(name);
    if (node == nullptr) return {};
    if (!node->number()) fail(*node, fmt::format("{} is a number", name));
    return node->number();
  }
  std::vector<std::string> list(const std::string& name) const {
    const auto* node = table_.find(name);
    return node == nullptr ? std::vector<std::string>{} : node->scalars(name);
  }
  CellFilter filter(const std::string& name) const {
    const auto* node = table_.find(name);
    CellFilter result;
    if (node == nullptr) return result;
    if (!node->is_table()) fail(*node, fmt::format("{} has keys and values: {} = {{ method = \"grow\" }}", name, name));
    for (const auto& [key, value] : node->entries) {
      check_key(key, value);
      result[key] = value.scalars(key);
    }
    return result;
  }

  void check_key(const std::string& name, const TomlValue& node) const {
    if (!is_key(name)) fail(node, fmt::format("unknown key '{}'. {}", name, did_you_mean(name, key_names())));
  }

  Panel::Kind kind_of(const std::string& x) const {
    if (x == "event") return Panel::Kind::over_events;
    if (x == "age") return Panel::Kind::over_ages;
    if (x == "epoch") return Panel::Kind::over_epochs;
    if (is_key(x)) return Panel::Kind::over_key;
    if (is_measure(x)) return Panel::Kind::cells;
    if (is_quantity(x)) return Panel::Kind::events;
    auto known = key_names();
    for (const auto& name : {"event", "age", "epoch"}) known.push_back(name);
    for (const auto* all : {&cell_measures(), &event_quantities()})
      for (const auto& name : names_of(*all)) known.push_back(name);
    const auto near = nearest(x, known);
    fail(*table_.find("x"),
         fmt::format("x = {}: this is not a key, a measure, a quantity, or one of event, age and epoch.{}", x,
                     near.empty() ? "" : fmt::format(" Did you mean {}?", near)));
  }

  void check_y(const Panel& panel, const std::string& y) const {
    const auto refuse = [&](const char* what, const std::vector<std::string>& known) {
      fail(*table_.find("y"),
           fmt::format("y = {}: with x = {}, y must be {}. {}", y, panel.x, what, did_you_mean(y, known)));
    };
    switch (panel.kind) {
      case Panel::Kind::over_key:
      case Panel::Kind::cells:
        if (!is_measure(y)) refuse("a measure of cells", names_of(cell_measures()));
        break;
      case Panel::Kind::over_epochs:
        if (!is_quantity(y) && !is_epoch_column(y)) {
          auto known = names_of(epoch_columns());
          for (const auto& name : names_of(event_quantities())) known.push_back(name);
          refuse("a quantity of events or a column of epochs.csv", known);
        }
        break;
      default:
        if (!is_quantity(y)) refuse("a quantity of events", names_of(event_quantities()));
    }
  }

  void read_at(Panel& panel) const {
    const auto* node = table_.find("at");
    if (node == nullptr) return;
    if (panel.kind != Panel::Kind::over_events && panel.kind != Panel::Kind::events)
      fail(*node, "at names a time point of events, so x must be event or a quantity of events");
    const auto name = node->scalar("at");
    for (const auto point : {TimePoint::exit, TimePoint::post_mask, TimePoint::post, TimePoint::end})
      if (name_of(point) == name) panel.at = point;
    if (!panel.at) fail(*node, fmt::format("at = {}: unknown time point. Choose exit, post_mask, post or end.", name));
  }

  void read_grouping(Panel& panel) const {
    if (panel.y.size() > 1) panel.lines = "quantity";
    if (const auto* node = table_.find("lines"); node != nullptr) {
      panel.lines = node->scalar("lines");
      if (panel.y.size() > 1 && panel.lines != "quantity")
        fail(*node, "a list of y has one line per name: write lines = \"quantity\"");
      if (panel.y.size() == 1) check_key(panel.lines, *node);
    }
    if (const auto* node = table_.find("panels"); node != nullptr) {
      panel.panels = node->scalar("panels");
      check_key(panel.panels, *node);
    }
  }

  const TomlValue& table_;
};

// The values of a key among the cells that are compared.
std::set<std::string> values_among(const Experiment& experiment, const std::string& key) {
  std::set<std::string> values;
  for (const std::size_t place : experiment.compared()) {
    if (const auto value = value_of(keys_of(experiment.cells[place].config), key)) values.insert(*value);
  }
  return values;
}

}  // namespace

std::vector<Panel> read_panels(const Experiment& experiment) {
  const auto table = parse_toml(experiment.text, experiment.name + ".toml");
  const auto* node = table.find("panel");
  if (node == nullptr) return {};
  if (!node->is_array_of_tables())
    throw_input_error("{}: `panel` is not a list of tables. Write [[panel]] for every panel.", node->where());
  std::map<std::string, std::set<std::string>> known;
  std::vector<Panel> panels;
  for (const auto& entry : node->items) {
    panels.push_back(PanelReader(entry).read());
    for (const auto* filter : {&panels.back().where, &panels.back().minus})
      for (const auto& [key, values] : *filter) {
        if (!known.contains(key)) known[key] = values_among(experiment, key);
        const auto& existing = known[key];
        for (const auto& value : values)
          if (!existing.contains(value))
            throw_input_error("{}: no cell has {} = {}. {}", entry.where(), key, value,
                              existing.empty() ? fmt::format("No cell has {}.", key)
                                               : fmt::format("Its values are {}.", fmt::join(existing, ", ")));
      }
  }
  return panels;
}

std::vector<Panel> default_panels(const Experiment& experiment) {
  const auto places = experiment.compared();
  if (places.empty()) return {};
  std::map<std::string, std::set<std::string>> values;
  bool tickets = false, all_iid = true;
  for (const std::size_t place : places) {
    const auto& config = experiment.cells[place].config;
    tickets = tickets || config.ticket;
    all_iid = all_iid && config.stream().kind == StreamEntry::Kind::iid;
    for (const auto& [key, value] : experiment.cells[place].keys) values[key].insert(value);
  }
  // x is compactness if it varies, otherwise the key with the most values, otherwise the variant.
  static const std::set<std::string> excluded{"stream", "data",       "method",     "intervention",
                                              "seeds",  "grow_score", "activation", "masks"};
  std::string x = "variant";
  std::size_t most = 1;
  for (const auto& [key, all] : values)
    if (!excluded.contains(key) && key != experiment.selected_key && (all.size() > most)) x = key, most = all.size();
  if (values["compactness"].size() > 1) x = "compactness";
  Panel panel{.x = x, .y = {all_iid ? "accuracy" : "average"}};
  panel.title = all_iid ? "Test accuracy" : "Average accuracy";
  if (values_among(experiment, "stream").size() > 1) panel.panels = "stream";
  std::vector<Panel> panels{panel};
  if (tickets) {
    panel.title = "Ticket accuracy";
    panel.y = {"ticket.accuracy"};
    panels.push_back(panel);
  }
  return panels;
}

}  // namespace cambium
