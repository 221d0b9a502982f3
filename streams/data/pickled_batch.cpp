#include "streams/data/pickled_batch.hpp"

#include <deque>
#include <map>
#include <string_view>

#include "streams/data/cifar.hpp"

namespace cambium {
namespace {

// A batch of CIFAR has two or three values per image, a batch of ImageNet 128 123 labels. The limit keeps a malicious
// file from exhausting the memory.
constexpr std::size_t most_values = 1'000'000;

enum class Kind { none, integer, text, list, tuple, dictionary, function, array, element_type };

struct Value {
  Kind kind = Kind::none;
  std::int64_t integer = 0;   // also for booleans
  std::string_view text;      // in the file; for a function: module and name; for an element type: its name
  std::vector<Value*> items;  // for a dictionary: keys and values in turn; for an array: its state
};

class Machine {
 public:
  explicit Machine(const DataFile& file) : file_(file) {}

  // Runs the pickle to its end and returns its result.
  const Value& run() {
    while (step()) {
    }
    if (place_ != file_.bytes.size()) file_.refuse("the file has bytes after its end");
    return pop();
  }

 private:
  Value& push(Kind kind) {
    if (values_.size() == most_values) file_.refuse("the file has more values than a batch of images can have");
    auto& value = values_.emplace_back();
    value.kind = kind;
    stack_.push_back(&value);
    return value;
  }

  Value& top() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back())) file_.refuse("the file is damaged");
    return *stack_.back();
  }

  Value& pop() {
    auto& value = top();
    stack_.pop_back();
    return value;
  }

  Value& pop(Kind kind) {
    auto& value = pop();
    if (value.kind != kind) file_.refuse("the file is damaged, or not a batch of images");
    return value;
  }

  std::vector<Value*> pop_to_mark() {
    if (marks_.empty()) file_.refuse("the file is damaged");
    const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    std::vector<Value*> result(first, stack_.end());
    stack_.erase(first, stack_.end());
    marks_.pop_back();
    return result;
  }

  void push_tuple(std::vector<Value*> items) { push(Kind::tuple).items = std::move(items); }

  // Pops `count` values; returns them in the order in which they were pushed.
  std::vector<Value*> pop_last(std::size_t count) {
    std::vector<Value*> result(count);
    for (std::size_t i = count; i > 0; --i) result[i - 1] = &pop();
    return result;
  }

  void append(Kind kind, const std::vector<Value*>& items) {
    auto& value = top();
    if (value.kind != kind || (kind == Kind::dictionary && items.size() % 2 != 0))
      file_.refuse("the file is damaged, or not a batch of images");
    value.items.insert(value.items.end(), items.begin(), items.end());
  }

  std::uint8_t byte() { return static_cast<std::uint8_t>(take(1)[0]); }

  std::uint32_t little_endian(std::size_t bytes) {
    std::uint32_t number = 0;
    const auto text = take(bytes);
    for (std::size_t i = 0; i < bytes; ++i) number |= std::uint32_t{static_cast<std::uint8_t>(text[i])} << (8 * i);
    return number;
  }

  std::string_view take(std::size_t count) {
    if (count > file_.bytes.size() - place_) file_.refuse("the file is cut short");
    const std::string_view text(reinterpret_cast<const char*>(file_.bytes.data()) + place_, count);
    place_ += count;
    return text;
  }

  void remember(std::uint32_t key) { memory_[key] = &top(); }

  void recall(std::uint32_t key) {
    const auto value = memory_.find(key);
    if (value == memory_.end()) file_.refuse("the file is damaged");
    stack_.push_back(value->second);
  }

  // "module\nname\n"
  void push_function() {
    const std::string_view rest(reinterpret_cast<const char*>(file_.bytes.data()) + place_,
                                file_.bytes.size() - place_);
    const auto module = rest.find('\n');
    const auto name = module == std::string_view::npos ? module : rest.find('\n', module + 1);
    if (name == std::string_view::npos) file_.refuse("the file is cut short");
    const auto text = take(name + 1).substr(0, name);
    for (const char* known : {"numpy.core.multiarray\n_reconstruct", "numpy._core.multiarray\n_reconstruct",
                              "numpy\nndarray", "numpy\ndtype"})
      if (text == known) {
        push(Kind::function).text = text;
        return;
      }
    file_.refuse(
        "it calls a function that no batch of images needs, which was not run. Do not open the file with Python");
  }

  // Runs one of the two functions that make an array and its element type.
  void call() {
    const auto& arguments = pop(Kind::tuple);
    const auto& function = pop(Kind::function);
    if (function.text.ends_with("_reconstruct")) {
      push(Kind::array);
      return;
    }
    if (function.text != "numpy\ndtype" || arguments.items.empty() || arguments.items[0]->kind != Kind::text)
      file_.refuse("the file is damaged, or not a batch of images");
    const auto name = arguments.items[0]->text;
    push(Kind::element_type).text = name;
  }

  void build() {
    const auto& state = pop(Kind::tuple);
    auto& value = top();
    if (value.kind == Kind::array)
      value.items = state.items;
    else if (value.kind != Kind::element_type)  // Its state is the byte order, which does not matter for bytes.
      file_.refuse("the file is damaged, or not a batch of images");
  }

  void check_version(int version) {
    if (version < 2 || version > 3) file_.refuse("the pickle has version {}; versions 2 and 3 are supported", version);
  }

  bool step() {
    const char instruction = static_cast<char>(byte());
    switch (instruction) {
      // One instruction per line.
      // clang-format off
      case '\x80': check_version(byte()); break;
      case '.': return false;
      case '(': marks_.push_back(stack_.size()); break;
      case 'N': push(Kind::none); break;
      case '\x88': push(Kind::integer).integer = 1; break;
      case '\x89': push(Kind::integer).integer = 0; break;
      case 'K': push(Kind::integer).integer = byte(); break;
      case 'M': push(Kind::integer).integer = little_endian(2); break;
      case 'J': push(Kind::integer).integer = static_cast<std::int32_t>(little_endian(4)); break;
      case 'U': case 'C': push(Kind::text).text = take(byte()); break;
      case 'T': case 'B': case 'X': push(Kind::text).text = take(little_endian(4)); break;
      case '}': push(Kind::dictionary); break;
      case ']': push(Kind::list); break;
      case ')': push_tuple({}); break;
      case '\x85': push_tuple(pop_last(1)); break;
      case '\x86': push_tuple(pop_last(2)); break;
      case '\x87': push_tuple(pop_last(3)); break;
      case 't': push_tuple(pop_to_mark()); break;
      case 'a': append(Kind::list, pop_last(1)); break;
      case 'e': append(Kind::list, pop_to_mark()); break;
      case 's': append(Kind::dictionary, pop_last(2)); break;
      case 'u': append(Kind::dictionary, pop_to_mark()); break;
      case 'q': remember(byte()); break;
      case 'r': remember(little_endian(4)); break;
      case 'h': recall(byte()); break;
      case 'j': recall(little_endian(4)); break;
      case 'c': push_function(); break;
      case 'R': call(); break;
      case 'b': build(); break;
      // clang-format on
      default:
        file_.refuse("not a batch of images: byte {} is the instruction {:#04x}, which no batch has",
                     grouped(place_ - 1), static_cast<std::uint8_t>(instruction));
    }
    return true;
  }

  const DataFile& file_;
  std::size_t place_ = 0;
  std::deque<Value> values_;  // owns the values, which may refer to each other
  std::vector<Value*> stack_;
  std::vector<std::size_t> marks_;
  std::map<std::uint32_t, Value*> memory_;
};

const Value& entry(const DataFile& file, const Value& dictionary, std::string_view key, Kind kind) {
  if (dictionary.kind == Kind::dictionary)
    for (std::size_t i = 0; i + 1 < dictionary.items.size(); i += 2)
      if (dictionary.items[i]->kind == Kind::text && dictionary.items[i]->text == key &&
          dictionary.items[i + 1]->kind == kind)
        return *dictionary.items[i + 1];
  file.refuse("not a batch of images: it has no {}", key);
}

struct Pixels {
  std::size_t count = 0;
  std::string_view bytes;  // (count, 3072)
  bool column_major = false;
};

// Checks the state of an array: version, shape, element type, whether column-major, bytes.
Pixels pixels_of(const DataFile& file, const Value& array) {
  const auto& state = array.items;
  if (state.size() != 5 || state[1]->kind != Kind::tuple || state[2]->kind != Kind::element_type ||
      state[3]->kind != Kind::integer || state[4]->kind != Kind::text)
    file.refuse("its array is not a NumPy array");
  if (state[2]->text != "u1") file.refuse("the elements of its array are not bytes");
  const auto& shape = state[1]->items;
  const auto& bytes = state[4]->text;
  const std::size_t count = bytes.size() / cifar_pixels;
  if (shape.size() != 2 || shape[0]->integer != static_cast<std::int64_t>(count) ||
      shape[1]->integer != static_cast<std::int64_t>(cifar_pixels) || bytes.size() != count * cifar_pixels ||
      count == 0)
    file.refuse("its array does not have {} bytes for every image", grouped(cifar_pixels));
  return {count, bytes, state[3]->integer != 0};
}

}  // namespace

PickledBatch read_pickled_batch(const DataFile& file, const PickledLabels& labels) {
  Machine machine(file);
  const auto& dictionary = machine.run();
  const auto pixels = pixels_of(file, entry(file, dictionary, "data", Kind::array));
  const auto& list = entry(file, dictionary, labels.key, Kind::list).items;
  if (list.size() != pixels.count)
    file.refuse("the file has {} labels for {} images", grouped(list.size()), grouped(pixels.count));
  PickledBatch batch{
      .labels = {}, .planes = reinterpret_cast<const std::uint8_t*>(pixels.bytes.data()), .transposed = {}};
  batch.labels.reserve(list.size());
  for (const auto* label : list) {
    if (label->kind != Kind::integer) file.refuse("a label is not a number");
    const auto number = label->integer - labels.lowest;
    if (number < 0 || number >= labels.classes)
      file.refuse("label {} of image {} is not between {} and {}; the file is damaged or belongs to another data set",
                  label->integer, grouped(batch.labels.size()), labels.lowest, labels.lowest + labels.classes - 1);
    batch.labels.push_back(static_cast<std::uint16_t>(number));
  }
  if (pixels.column_major) {
    batch.transposed.resize(pixels.bytes.size());
    for (std::size_t i = 0; i < batch.transposed.size(); ++i)
      batch.transposed[i] = batch.planes[i % cifar_pixels * pixels.count + i / cifar_pixels];
    batch.planes = batch.transposed.data();
  }
  return batch;
}

}  // namespace cambium
