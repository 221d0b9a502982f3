// The contract between a kernel and the host code that launches it.
//
// A kernel takes one struct (or one View). The struct is defined once, in a header <subject>_arguments.hpp that both
// the .sycl file and the host include. The header also declares the kernels that take it:
//
//   namespace cambium {
//   struct ScaleArguments {
//     View<float> x;
//     float factor;
//   };
//   ASSERT_LAYOUT(ScaleArguments, x, factor);
//   }  // namespace cambium
//   DECLARE_KERNEL(scale, ScaleArguments)
//
// KERNEL_1D and KERNEL_3D (sycl/kernel.hpp) check the declared type in the .sycl file, Device::launch() on the host.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <type_traits>

#include "sycl/view.hpp"

namespace cambium {

// The name of a kernel that takes Arguments.
template <class Arguments>
struct KernelName {
  const char* text;
};

struct MemberPlace {
  std::size_t offset, size;
};

// Whether the members follow each other without gaps and fill the struct, except for padding at its end.
constexpr bool is_contiguous(std::initializer_list<MemberPlace> members, std::size_t size, std::size_t alignment) {
  std::size_t end = 0;
  for (const auto& member : members) {
    if (member.offset != end) return false;
    end += member.size;
  }
  return end <= size && size - end < alignment;
}

}  // namespace cambium

// Defines cambium::kernels::name. Write it outside of any namespace.
#define DECLARE_KERNEL(name, arguments)               \
  namespace cambium::kernels {                        \
  inline constexpr KernelName<arguments> name{#name}; \
  }

// Asserts that a struct of arguments has one layout for the host's compiler and the runtime compiler: it can be copied
// byte by byte, and its members, all of which are named in their order, have no gaps between them.
#define ASSERT_LAYOUT(type, ...)                                                        \
  static_assert(std::is_trivially_copyable_v<type> && std::is_standard_layout_v<type>); \
  static_assert(                                                                        \
      ::cambium::is_contiguous({CAMBIUM_REPEAT(CAMBIUM_PLACES(type, __VA_ARGS__))}, sizeof(type), alignof(type)))

// CAMBIUM_PLACES expands to one MemberPlace per member. A macro cannot call itself, so CAMBIUM_REPEAT scans the text
// again for every further member; this suffices for 27 members.
#define CAMBIUM_PLACES(type, member, ...)         \
  {offsetof(type, member), sizeof(type::member)}, \
      __VA_OPT__(CAMBIUM_PLACES_AGAIN CAMBIUM_PARENTHESES(type, __VA_ARGS__))
#define CAMBIUM_PLACES_AGAIN() CAMBIUM_PLACES
#define CAMBIUM_PARENTHESES ()
#define CAMBIUM_REPEAT(...) CAMBIUM_REPEAT_9(CAMBIUM_REPEAT_9(CAMBIUM_REPEAT_9(__VA_ARGS__)))
#define CAMBIUM_REPEAT_9(...) CAMBIUM_REPEAT_3(CAMBIUM_REPEAT_3(CAMBIUM_REPEAT_3(__VA_ARGS__)))
#define CAMBIUM_REPEAT_3(...) CAMBIUM_SCAN(CAMBIUM_SCAN(CAMBIUM_SCAN(__VA_ARGS__)))
#define CAMBIUM_SCAN(...) __VA_ARGS__
