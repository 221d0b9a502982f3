// Local memory in kernels: arrays that the items of a work-group share.
#pragma once

#include <sycl/ext/oneapi/work_group_static.hpp>

#include "sycl/kernel.hpp"

// Declares `name`, an array of `count` elements in local memory. It is not initialised: AMD's compiler rejects local
// memory with an initial value.
#define LOCAL_ARRAY(name, type, count)                                                                   \
  [[clang::loader_uninitialized]] static sycl::ext::oneapi::experimental::work_group_static<type[count]> \
      name##_storage;                                                                                    \
  type(&name)[count] = name##_storage
