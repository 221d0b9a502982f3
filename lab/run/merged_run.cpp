#include "lab/run/merged_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/durable_file.hpp"
#include "base/text.hpp"
#include "lab/results/run_columns.hpp"
#include "lab/run/checkpoint.hpp"
#include "lab/run/result.hpp"
#include "lab/run/task_table.hpp"
#include "layers/parameters.hpp"

namespace cambium {
namespace {

using Json = nlohmann::ordered_json;
using Texts = std::vector<std::string>;  // one of each part

[[noreturn]] void fail(const std::string& file, const char* why) {
  throw_input_error("{}: the parts of the run do not fit together: {}. Start again in another folder.", file, why);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(text.substr(begin, end - begin));
  return lines;
}

struct KeyedLine {
  std::string key, line;
};

// Lines of the same key were written together: those of the first part, then those of the second, and so on.
std::string interleave(const std::string& file, const std::vector<std::vector<KeyedLine>>& parts) {
  std::string merged;
  std::vector<std::size_t> next(parts.size(), 0);
  while (next[0] < parts[0].size()) {
    const std::string& key = parts[0][next[0]].key;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      if (next[part] == parts[part].size() || parts[part][next[part]].key != key)
        fail(file, "one has lines that another has not");
      for (; next[part] < parts[part].size() && parts[part][next[part]].key == key; ++next[part])
        merged += parts[part][next[part]].line + "\n";
    }
  }
  for (std::size_t part = 0; part < parts.size(); ++part)
    if (next[part] != parts[part].size()) fail(file, "one has lines that another has not");
  return merged;
}

std::string merge_table(const std::string& file, const Texts& texts, const RunConfig& config,
                        const std::vector<std::string>& key_columns) {
  std::string header;
  std::vector<std::vector<KeyedLine>> parts;
  for (const auto& text : texts) {
    auto lines = lines_of(text);
    auto& keyed = parts.emplace_back();
    if (lines.empty()) continue;
    header = lines.front() + "\n";
    const auto names = split(lines.front());
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const auto fields = split(lines[i]);
      if (fields.size() != names.size()) fail(file, "a line has another number of fields than the header");
      KeyedLine line{{}, run_id(config) + lines[i].substr(fields[0].size())};
      for (std::size_t column = 0; column < names.size(); ++column)
        if (std::find(key_columns.begin(), key_columns.end(), names[column]) != key_columns.end())
          line.key += fields[column] + ",";
      keyed.push_back(std::move(line));
    }
  }
  return header + interleave(file, parts);
}

std::string merge_events(const std::string& file, const Texts& texts) {
  std::vector<std::vector<KeyedLine>> parts;
  for (const auto& text : texts) {
    auto& keyed = parts.emplace_back();
    for (auto& line : lines_of(text)) {
      auto key = Json::parse(line).at("event").dump();
      keyed.push_back({std::move(key), std::move(line)});
    }
  }
  return interleave(file, parts);
}

// What is a list in metrics.jsonl has an entry per seed.
std::string merge_metrics(const std::string& file, const Texts& texts) {
  auto merged = lines_of(texts[0]);
  for (std::size_t part = 1; part < texts.size(); ++part) {
    const auto lines = lines_of(texts[part]);
    if (lines.size() != merged.size()) fail(file, "one has lines that another has not");
    for (std::size_t i = 0; i < lines.size(); ++i) {
      auto line = Json::parse(merged[i]);
      const auto addition = Json::parse(lines[i]);
      for (const auto& [name, value] : addition.items())
        if (value.is_array())
          line.at(name).insert(line.at(name).end(), value.begin(), value.end());
        else if (line.at(name) != value)
          fail(file, "epochs differ");
      merged[i] = line.dump();
    }
  }
  std::string text;
  for (const auto& line : merged) text += line + "\n";
  return text;
}

// (steps, R) numbers behind a header.
std::string merge_online(const std::string& file, const Texts& texts, const RunConfig& config,
                         const std::vector<RunPart>& parts) {
  if (texts[0].empty()) return {};
  const std::size_t width = online_rows(config, std::vector<std::int32_t>{0}).size();
  std::string merged = online_header(config);
  std::vector<std::size_t> next, each;
  for (const auto& part : parts) {
    next.push_back(online_header(part.config).size());
    each.push_back(part.config.seeds.size() * width);
  }
  const std::size_t steps = (texts[0].size() - next[0]) / each[0];
  for (std::size_t part = 0; part < parts.size(); ++part)
    if (texts[part].size() != next[part] + steps * each[part]) fail(file, "their lengths differ");
  for (std::size_t step = 0; step < steps; ++step)
    for (std::size_t part = 0; part < parts.size(); next[part] += each[part], ++part)
      merged.append(texts[part], next[part], each[part]);
  return merged;
}

// The contents of a journal, from those of the parts; also from the beginnings that a checkpoint has seen.
std::string merge_journal(const std::string& file, const Texts& texts, const RunConfig& config,
                          const std::vector<RunPart>& parts) {
  if (file == "metrics.jsonl") return merge_metrics(file, texts);
  if (file == "events.jsonl") return merge_events(file, texts);
  if (file == "epochs.csv") return merge_table(file, texts, config, {"phase", "epoch"});
  if (file == "tasks.csv") return merge_table(file, texts, config, {"phase", "task"});
  if (file == "matrix.csv") return merge_table(file, texts, config, {"phase", "after_task"});
  if (file == "cohorts.csv") return merge_table(file, texts, config, {"event", "time_point", "age_steps"});
  return merge_online(file, texts, config, parts);
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The axis of a checkpoint's tensor that has an entry per network.
std::size_t replica_axis(const std::string& name) {
  if (name == "optimizer.steps") return 1;
  if (!name.starts_with("run.")) return 0;
  return name == "run.images" || name == "run.correct" || name == "run.loss" || name == "run.task_online" ? 0 : 1;
}

Tensor concatenate(const std::string& file, const std::vector<const Tensor*>& parts, std::size_t axis) {
  Tensor merged{parts[0]->type, parts[0]->shape, {}};
  std::size_t outer = 1;
  for (std::size_t i = 0; i < axis; ++i) outer *= static_cast<std::size_t>(merged.shape.at(i));
  merged.shape.at(axis) = 0;
  for (const Tensor* part : parts) {
    auto shape = part->shape;
    merged.shape[axis] += shape.at(axis);
    shape[axis] = parts[0]->shape[axis];
    if (shape != parts[0]->shape || part->type != merged.type) fail(file, "shapes differ");
  }
  for (std::size_t i = 0; i < outer; ++i)
    for (const Tensor* part : parts) {
      const std::size_t each = part->bytes.size() / outer;
      const auto begin = part->bytes.begin() + static_cast<std::ptrdiff_t>(i * each);
      merged.bytes.insert(merged.bytes.end(), begin, begin + static_cast<std::ptrdiff_t>(each));
    }
  return merged;
}

// diagnosis.reference is flat, in the live layout, whose widths are those of the widest network. `merged` has the masks
// of all networks.
Tensor merge_reference(const std::vector<TensorFile>& files, const TensorFile& merged, const RunConfig& config,
                       const std::vector<RunPart>& parts) {
  const auto architecture = architecture_of(config);
  const auto layout_of = [&](const TensorFile& file, const RunConfig& of) {
    return live_layout(architecture,
                       read_masks(file, "mask.", architecture, static_cast<std::int32_t>(of.seeds.size())));
  };
  const auto whole = layout_of(merged, config);
  std::vector<float> values(whole.size, 0.0f);
  std::size_t first_replica = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    const auto layout = layout_of(files[part], parts[part].config);
    const auto own = files[part].values<float>("diagnosis.reference", {static_cast<std::int64_t>(layout.size)});
    const std::size_t replicas = parts[part].config.seeds.size();
    for (std::size_t l = 0; l < layout.layers.size(); ++l) {
      const auto &from = layout.layers[l], &to = whole.layers[l];
      const auto units = static_cast<std::size_t>(from.units), all_units = static_cast<std::size_t>(to.units);
      for (std::size_t r = 0; r < replicas; ++r) {
        const auto copy_row = [&](std::size_t begin, std::size_t target) {
          std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(begin), units,
                      values.begin() + static_cast<std::ptrdiff_t>(target));
        };
        for (std::size_t row = 0; row < from.rows(); ++row)
          copy_row(from.weights_begin + r * from.weights_each + row * units,
                   to.weights_begin + (first_replica + r) * to.weights_each + row * all_units);
        copy_row(from.bias_begin + r * units, to.bias_begin + (first_replica + r) * all_units);
      }
    }
    first_replica += replicas;
  }
  return Tensor::of<float>({static_cast<std::int64_t>(values.size())}, values);
}

TensorFile merge_checkpoints(const std::string& name, const RunConfig& config, const std::vector<RunPart>& parts) {
  std::vector<TensorFile> files;
  for (const auto& part : parts) files.push_back(TensorFile::read(part.folder / name));
  TensorFile merged;
  merged.metadata = files[0].metadata;
  merged.metadata["config"] = to_json(config).dump();
  std::vector<nlohmann::json> lengths;
  for (const auto& file : files) lengths.push_back(nlohmann::json::parse(file.text("journals")));
  auto all_lengths = lengths[0];
  for (const auto& [journal, length] : lengths[0].items()) {
    Texts texts;
    for (std::size_t part = 0; part < parts.size(); ++part)
      texts.push_back(text_of(parts[part].folder / journal).substr(0, lengths[part].at(journal).get<std::size_t>()));
    all_lengths[journal] = merge_journal(journal, texts, config, parts).size();
  }
  merged.metadata["journals"] = all_lengths.dump();
  for (const auto& [tensor, first] : files[0].tensors) {
    if (tensor == "diagnosis.reference") continue;
    std::vector<const Tensor*> of_parts;
    for (const auto& file : files) {
      if (!file.contains(tensor)) fail(name, "one has tensors that another has not");
      of_parts.push_back(&file.tensors.at(tensor));
    }
    merged.tensors[tensor] = concatenate(name, of_parts, replica_axis(tensor));
  }
  if (files[0].contains("diagnosis.reference"))
    merged.tensors["diagnosis.reference"] = merge_reference(files, merged, config, parts);
  return merged;
}

// A measure has a mean, a standard deviation and a value per seed; any other list has an entry per seed.
Json merge_results(const std::vector<Json>& parts) {
  const Json& first = parts[0];
  if (first.is_array()) {
    Json merged = Json::array();
    for (const auto& part : parts) merged.insert(merged.end(), part.begin(), part.end());
    return merged;
  }
  if (!first.is_object()) return first;
  if (first.contains("mean") && first.contains("seeds")) {
    std::vector<double> values;
    for (const auto& part : parts)
      for (const auto& value : part.at("seeds")) values.push_back(value.is_number() ? value.get<double>() : NAN);
    return summary_of(values);
  }
  Json merged = Json::object();
  for (const auto& [name, value] : first.items()) {
    std::vector<Json> of_parts;
    for (const auto& part : parts) of_parts.push_back(part.at(name));
    merged[name] = merge_results(of_parts);
  }
  return merged;
}

}  // namespace

void merge_parts(const RunFolder& folder, const RunConfig& config, const std::vector<RunPart>& parts) {
  try {
    for (const char* file : {"metrics.jsonl", "epochs.csv", "events.jsonl", "cohorts.csv", "tasks.csv", "matrix.csv",
                             "online.npy", "online_ticket.npy"}) {
      if (!std::filesystem::exists(parts[0].folder / file)) continue;
      Texts texts;
      for (const auto& part : parts) texts.push_back(text_of(part.folder / file));
      DurableFile::write(folder.path() / file, merge_journal(file, texts, config, parts));
    }
    for (const char* file : {"cycles.safetensors", "checkpoint.safetensors"})
      if (std::filesystem::exists(parts[0].folder / file))
        merge_checkpoints(file, config, parts).write(folder.path() / file);
    std::string sessions;
    std::vector<Json> results;
    for (const auto& part : parts) {
      sessions += text_of(part.folder / "sessions.jsonl");
      results.push_back(Json::parse(text_of(part.folder / "result.json")));
      results.back()["config"] = to_json(config);
    }
    DurableFile::write(folder.path() / "sessions.jsonl", sessions);
    auto result = merge_results(results);
    result["config"] = to_json(config);
    if (config.diagnostics) result["diagnostics"] = write_parities(folder.path(), config);
    folder.write_result(result);
  } catch (const nlohmann::json::exception& wrong) {
    fail(folder.path().string(), wrong.what());
  }
}

}  // namespace cambium
