// ImageNet down-sampled to 32 x 32: the first images of every class, from either form in which it is kept.
//
// A file per class, 0.npy, 1.npy, ..., has an array of NumPy (images, 3, 32, 32) of bytes, or of floating-point
// numbers as the files of the project "loss of plasticity" seem to have (docs/data.md): pixel / 255, less the mean over
// all images of that pixel and colour, which no file has. Values of one pixel and colour differ by whole grey levels
// all the same, and over a data set the darkest of them is black: that gives the bytes back.
//
// The official ten batches are pickled, their images in random order, their labels from 1 on.
//
// Both are far larger than what is used: give the files one after another, and keep none.
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
  // Takes the memory for all images at once.
  ImagenetReader(std::int32_t classes, std::int32_t images_per_class);

  // The file of the next class, from 0 on.
  void add_class(const DataFile& file);
  // A batch, in its place. Images of other classes are passed over.
  void add_batch(const DataFile& file);

  // The images, class after class. Refuses `whole`, a name for all the files, when a class has too few.
  Images finish(const DataFile& whole);

 private:
  // What tells the grey levels of one pixel and colour in files of floating-point numbers.
  struct Levels {
    double start = 0;                         // the first image's value
    std::int32_t darkest = 0, brightest = 0;  // levels above it
  };

  std::uint8_t* room_for_image(std::size_t image_class);
  template <class Number>
  void add_numbers(const DataFile& file, const NpyArray& array);
  void count_levels_from_black(const std::string& data_set);

  std::size_t classes_, images_per_class_;
  Images images_;
  std::vector<std::size_t> counts_;            // of images, per class
  std::size_t next_class_ = 0;                 // of add_class
  std::string type_;                           // of the arrays so far
  std::array<Levels, cifar_pixels> levels_{};  // by planes, as the files have them
};

}  // namespace cambium
