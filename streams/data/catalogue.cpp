#include "streams/data/catalogue.hpp"

#include <fmt/ranges.h>

#include "base/error.hpp"
#include "streams/data/data_set.hpp"

namespace cambium {
namespace {

// The files of MNIST and Fashion-MNIST have the same names and sizes; only their contents differ.
DataLayout idx_layout(std::vector<std::string> folders, const std::string& train_images,
                      const std::string& train_labels, const std::string& test_images, const std::string& test_labels) {
  return {.format = DataFormat::idx,
          .folders = std::move(folders),
          .archives = {},
          .train = {{"train-images-idx3-ubyte", 47'040'016, train_images, "train-images.idx3-ubyte"},
                    {"train-labels-idx1-ubyte", 60'008, train_labels, "train-labels.idx1-ubyte"}},
          .test = {{"t10k-images-idx3-ubyte", 7'840'016, test_images, "t10k-images.idx3-ubyte"},
                   {"t10k-labels-idx1-ubyte", 10'008, test_labels, "t10k-labels.idx1-ubyte"}}};
}

std::vector<std::string> idx_downloads() {
  return {"train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz", "t10k-images-idx3-ubyte.gz",
          "t10k-labels-idx1-ubyte.gz"};
}

CatalogueEntry mnist() {
  return {.name = "mnist",
          .description = "handwritten digits",
          .train_images = 60'000,
          .test_images = 10'000,
          .height = 28,
          .width = 28,
          .channels = 1,
          .classes = 10,
          .mean = {0.1307f},
          .deviation = {0.3081f},
          .class_names = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"},
          .layouts = {idx_layout({"mnist", "MNIST/raw", "MNIST", ""},
                                 "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db",
                                 "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5",
                                 "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7",
                                 "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2")},
          .fetched_folder = "mnist",
          .fetched = idx_downloads(),
          .homes = {"https://ossci-datasets.s3.amazonaws.com/mnist/", "http://yann.lecun.com/exdb/mnist/"},
          .fetched_bytes = 11'594'722};
}

CatalogueEntry fashion_mnist() {
  return {.name = "fashion-mnist",
          .description = "articles of clothing",
          .train_images = 60'000,
          .test_images = 10'000,
          .height = 28,
          .width = 28,
          .channels = 1,
          .classes = 10,
          .mean = {0.2860f},
          .deviation = {0.3530f},
          .class_names = {"T-shirt/top", "Trouser", "Pullover", "Dress", "Coat", "Sandal", "Shirt", "Sneaker", "Bag",
                          "Ankle boot"},
          .layouts = {idx_layout({"fashion-mnist", "FashionMNIST/raw", "FashionMNIST", ""},
                                 "c59f468a2f672dc815687fe0f83887768d799fd8a3f3276145d20f83aa44d888",
                                 "bad3541b69d912435c50bb6ba87bec294ff4f6a2e1246121d8633921760443d9",
                                 "5b4141f0afbad91edebe8549f8fcffe087ea10ca49f1dbef5c9a5cd8815ce37b",
                                 "0402a96d92fd2663957122ceb108a494c5af83dab82d92729df917d7dec38c34")},
          .fetched_folder = "fashion-mnist",
          .fetched = idx_downloads(),
          .homes = {"http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/"},
          .fetched_bytes = 30'878'645};
}

// Upper bound: a batch in Python's format also holds the names of the images.
constexpr std::size_t python_batch = 40'000'000;

CatalogueEntry cifar_10() {
  constexpr std::size_t batch = 30'730'000;
  const DataLayout binary{
      .format = DataFormat::cifar_binary,
      .folders = {"cifar-10-batches-bin", "cifar-10", "cifar-10/cifar-10-batches-bin", ""},
      .archives = {"cifar-10-binary.tar.gz", "cifar-10/cifar-10-binary.tar.gz"},
      .train = {{"data_batch_1.bin", batch, "cee916563c9f80d84e3cc88e17fdc0941787f1244f00a67874d45b261883ada5", {}},
                {"data_batch_2.bin", batch, "a591ca11fa1708a91ee40f54b3da4784ccd871ecf2137de63f51ada8b3fa57ed", {}},
                {"data_batch_3.bin", batch, "bbe8596564c0f86427f876058170b84dac6670ddf06d79402899d93ceea26f67", {}},
                {"data_batch_4.bin", batch, "014e562d6e23c72197cc727519169a60359f5eccd8945ad5a09d710285ff4e48", {}},
                {"data_batch_5.bin", batch, "755304fc0b379caeae8c14f0dac912fbc7d6cd469eb67a1029a08a39453a9add", {}}},
      .test = {{"test_batch.bin", batch, "8e2eb146ae340b09e24670f29cabc6326dba54da8789dab6768acf480273f65b", {}}}};
  const DataLayout python{.format = DataFormat::cifar_python,
                          .folders = {"cifar-10-batches-py", "cifar-10/cifar-10-batches-py", "cifar-10", ""},
                          .archives = {"cifar-10-python.tar.gz", "cifar-10/cifar-10-python.tar.gz"},
                          .train = {{"data_batch_1", python_batch, "c99cafc152244af753f735de768cd75f", {}},
                                    {"data_batch_2", python_batch, "d4bba439e000b95fd0a9bffe97cbabec", {}},
                                    {"data_batch_3", python_batch, "54ebc095f3ab1f0389bbae665268c751", {}},
                                    {"data_batch_4", python_batch, "634d18415352ddfa80567beed471001a", {}},
                                    {"data_batch_5", python_batch, "482c414d41f54cd18b22e5b47cb7c3cb", {}}},
                          .test = {{"test_batch", python_batch, "40351d587109b95175f43aff81a1287e", {}}}};
  return {.name = "cifar-10",
          .description = "photographs of animals and vehicles",
          .train_images = 50'000,
          .test_images = 10'000,
          .height = 32,
          .width = 32,
          .channels = 3,
          .classes = 10,
          .mean = {0.4914f, 0.4822f, 0.4465f},
          .deviation = {0.2470f, 0.2435f, 0.2616f},
          .class_names = {"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"},
          .layouts = {binary, python},
          .fetched_folder = "",
          .fetched = {"cifar-10-binary.tar.gz"},
          .homes = {"https://www.cs.toronto.edu/~kriz/"},
          .fetched_bytes = 170'052'171};
}

CatalogueEntry cifar_100() {
  const DataLayout binary{
      .format = DataFormat::cifar_binary,
      .folders = {"cifar-100-binary", "cifar-100", "cifar-100/cifar-100-binary", ""},
      .archives = {"cifar-100-binary.tar.gz", "cifar-100/cifar-100-binary.tar.gz"},
      .train = {{"train.bin", 153'700'000, "f31298fc616915fa142368359df1c4ca2ae984d6915ca468b998a5ec6aeebf29", {}}},
      .test = {{"test.bin", 30'740'000, "d8b1e6b7b3bee4020055f0699b111f60b1af1e262aeb93a0b659061746f8224a", {}}}};
  const DataLayout python{.format = DataFormat::cifar_python,
                          .folders = {"cifar-100-python", "cifar-100/cifar-100-python", "cifar-100", ""},
                          .archives = {"cifar-100-python.tar.gz", "cifar-100/cifar-100-python.tar.gz"},
                          .train = {{"train", 5 * python_batch, "16019d7e3df5f24257cddd939b257f8d", {}}},
                          .test = {{"test", python_batch, "f0ef6b0ae62326f3e7ffdfab6717acfc", {}}}};
  return {.name = "cifar-100",
          .description = "photographs, by their fine labels",
          .train_images = 50'000,
          .test_images = 10'000,
          .height = 32,
          .width = 32,
          .channels = 3,
          .classes = 100,
          .mean = {0.5071f, 0.4865f, 0.4409f},
          .deviation = {0.2673f, 0.2564f, 0.2762f},
          .class_names = {"apple",       "aquarium_fish", "baby",      "bear",       "beaver",       "bed",
                          "bee",         "beetle",        "bicycle",   "bottle",     "bowl",         "boy",
                          "bridge",      "bus",           "butterfly", "camel",      "can",          "castle",
                          "caterpillar", "cattle",        "chair",     "chimpanzee", "clock",        "cloud",
                          "cockroach",   "couch",         "crab",      "crocodile",  "cup",          "dinosaur",
                          "dolphin",     "elephant",      "flatfish",  "forest",     "fox",          "girl",
                          "hamster",     "house",         "kangaroo",  "keyboard",   "lamp",         "lawn_mower",
                          "leopard",     "lion",          "lizard",    "lobster",    "man",          "maple_tree",
                          "motorcycle",  "mountain",      "mouse",     "mushroom",   "oak_tree",     "orange",
                          "orchid",      "otter",         "palm_tree", "pear",       "pickup_truck", "pine_tree",
                          "plain",       "plate",         "poppy",     "porcupine",  "possum",       "rabbit",
                          "raccoon",     "ray",           "road",      "rocket",     "rose",         "sea",
                          "seal",        "shark",         "shrew",     "skunk",      "skyscraper",   "snail",
                          "snake",       "spider",        "squirrel",  "streetcar",  "sunflower",    "sweet_pepper",
                          "table",       "tank",          "telephone", "television", "tiger",        "tractor",
                          "train",       "trout",         "tulip",     "turtle",     "wardrobe",     "whale",
                          "willow_tree", "wolf",          "woman",     "worm"},
          .layouts = {binary, python},
          .fetched_folder = "",
          .fetched = {"cifar-100-binary.tar.gz"},
          .homes = {"https://www.cs.toronto.edu/~kriz/"},
          .fetched_bytes = 168'513'733};
}

CatalogueEntry imagenet_32() {
  constexpr std::int32_t classes = 1'000, images_per_class = 600;
  // A class of ImageNet has at most 1 300 training images, a batch at most 128 123.
  constexpr std::size_t class_file = 1'300 * 3'072 * sizeof(double) + 1'024, batch = 400'000'000;
  DataLayout by_class{.format = DataFormat::imagenet_classes,
                      .folders = {"classes", "imagenet-32/classes", "imagenet-32", "imagenet/classes", ""},
                      .archives = {},
                      .train = {},
                      .test = {}};
  for (std::int32_t i = 0; i < classes; ++i) by_class.train.push_back({fmt::format("{}.npy", i), class_file, {}, {}});
  DataLayout by_batch{.format = DataFormat::imagenet_batches,
                      .folders = {"Imagenet32_train", "imagenet-32/Imagenet32_train", "imagenet-32", ""},
                      .archives = {},
                      .train = {},
                      .test = {}};
  for (int i = 1; i <= 10; ++i) by_batch.train.push_back({fmt::format("train_data_batch_{}", i), batch, {}, {}});
  return {.name = "imagenet-32",
          .description = "photographs of ImageNet, downsampled",
          .train_images = classes * images_per_class,
          .test_images = 0,
          .height = 32,
          .width = 32,
          .channels = 3,
          .classes = classes,
          .images_per_class = images_per_class,
          .mean = {0.485f, 0.456f, 0.406f},
          .deviation = {0.229f, 0.224f, 0.225f},
          .class_names = {},
          .layouts = {by_class, by_batch},
          .by_hand =
              "ImageNet's terms of access must be accepted first. Then put train_data_batch_1 to "
              "train_data_batch_10 of the 32 x 32 images at https://image-net.org/download-images into the "
              "folder Imagenet32_train of a data folder, or 0.npy to 999.npy of Continual ImageNet at "
              "https://github.com/shibhansh/loss-of-plasticity into its folder classes"};
}

}  // namespace

std::span<const CatalogueEntry> catalogue() {
  static const std::vector<CatalogueEntry> entries{mnist(), fashion_mnist(), cifar_10(), cifar_100(), imagenet_32()};
  return entries;
}

const CatalogueEntry& catalogue_entry(const std::string& name) {
  for (const auto& entry : catalogue())
    if (entry.name == name) return entry;
  const auto names = data_set_names();
  const auto near = nearest(name, names);
  if (!near.empty()) throw_input_error("{}: unknown data set. Did you mean {}?", name, near);
  throw_input_error("{}: unknown data set. Known: {}", name, fmt::join(names, ", "));
}

std::string how_to_get(const CatalogueEntry& entry) {
  if (entry.by_hand.empty()) return fmt::format("Fetch it: cambium data fetch {}", entry.name);
  return fmt::format("It cannot be fetched. {}", entry.by_hand);
}

std::string how_to_replace(const std::string& data_set) {
  for (const auto& entry : catalogue())
    if (entry.name == data_set && !entry.by_hand.empty())
      return fmt::format("Replace the file; cambium data fetch {} says where to get it", data_set);
  return fmt::format("Fetch it again: cambium data fetch {}", data_set);
}

}  // namespace cambium
