// Reader of ImageNet at 32 x 32 pixels: the first images of every class, from one of two layouts.
//
// Files of classes: 0.npy, 1.npy, ... hold a NumPy array (images, 3, 32, 32) of bytes, or of floating-point numbers
// (those of the project "loss of plasticity"; docs/data.md). The numbers are pixel / 255 - mean, where the mean is over
// all images of that pixel and colour and is not in any file. Two values of the same pixel and colour still differ by a
// multiple of 1 / 255, and the darkest over all images is taken to be black; this recovers the bytes.
//
// Batches: ten pickled files, with the images in random order and labels that start at 1.
//
// Both are much larger than the images that are used: pass one file after another, and keep none.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "streams/data/cifar.hpp"
#include "streams/data/data_file.hpp"
#include "streams/data/images.hpp"
#include "streams/data/npy.hpp"

namespace cambium {

class ImagenetReader {
 public:
  // Allocates the memory for all images.
  ImagenetReader(std::int32_t classes, std::int32_t images_per_class);

  // Adds the file of the next class, starting with class 0.
  void add_class(const DataFile& file);
  // Adds a batch; call it in the order of the batches. Ignores images of other classes.
  void add_batch(const DataFile& file);

  // Returns the images, ordered by class. Refuses `whole`, which stands for all files, if a class has too few images.
  Images finish(const DataFile& whole);

 private:
  // The range of one pixel and colour in files of floating-point numbers.
  struct Levels {
    double start = 0;                         // the value in the first image
    std::int32_t darkest = 0, brightest = 0;  // grey levels relative to `start`
  };

  std::uint8_t* next_image(std::size_t image_class);
  template <class Number>
  void add_numbers(const DataFile& file, const NpyArray& array);
  void shift_levels_to_black(const std::string& data_set);

  std::size_t classes_, images_per_class_;
  Images images_;
  std::vector<std::size_t> counts_;            // number of images per class so far
  std::size_t next_class_ = 0;                 // of add_class()
  std::string type_;                           // element type of the arrays so far
  std::array<Levels, cifar_pixels> levels_{};  // ordered by planes, like the files
};

}  // namespace cambium
