# Finds DPC++ (required), oneMKL, oneDNN and TBB (each backend that needs one is built if it is there) below
# CAMBIUM_ONEAPI_ROOT, and defines the imported targets OneApi::sycl, OneApi::mkl, OneApi::mkl_sycl, OneApi::dnnl.
#
# The folder may be the private environment that setup/install.sh makes from wheels, an installed oneAPI
# (/opt/intel/oneapi), or an open-source build of intel/llvm, in which there is only DPC++.

set(CAMBIUM_ONEAPI_ROOT "${PROJECT_SOURCE_DIR}/build/oneapi" CACHE PATH
    "Folder with DPC++ and, where available, oneMKL, oneDNN and TBB")

set(prefixes "${CAMBIUM_ONEAPI_ROOT}")
foreach(component compiler mkl dnnl tbb)
  file(GLOB versions "${CAMBIUM_ONEAPI_ROOT}/${component}/latest" "${CAMBIUM_ONEAPI_ROOT}/${component}/2*")
  list(APPEND prefixes ${versions})
endforeach()

# A cached path is looked for again when the root has changed.
if(NOT "${CAMBIUM_ONEAPI_ROOT}" STREQUAL "${CAMBIUM_ONEAPI_ROOT_SEARCHED}")
  get_cmake_property(cached CACHE_VARIABLES)
  list(FILTER cached INCLUDE REGEX "^ONEAPI_")
  foreach(name IN LISTS cached)
    unset(${name} CACHE)
  endforeach()
  set(CAMBIUM_ONEAPI_ROOT_SEARCHED "${CAMBIUM_ONEAPI_ROOT}" CACHE INTERNAL "")
endif()

function(find_header variable)
  find_path(ONEAPI_${variable} NAMES ${ARGN} PATHS ${prefixes} PATH_SUFFIXES include NO_DEFAULT_PATH)
  mark_as_advanced(ONEAPI_${variable})
endfunction()
function(find_shared_library variable)
  find_library(ONEAPI_${variable} NAMES ${ARGN} PATHS ${prefixes} PATH_SUFFIXES lib lib/intel64 NO_DEFAULT_PATH)
  mark_as_advanced(ONEAPI_${variable})
endfunction()

# Wheels carry libmkl_core.so.3 without the plain link name.
find_header(sycl_include sycl/sycl.hpp)
find_shared_library(sycl_library sycl)
find_header(opencl_include CL/cl.h)
find_shared_library(opencl_library OpenCL libOpenCL.so.1)
find_header(mkl_include mkl_cblas.h)
find_shared_library(mkl_lp64 mkl_intel_lp64 libmkl_intel_lp64.so.3 libmkl_intel_lp64.so.2)
find_shared_library(mkl_sequential mkl_sequential libmkl_sequential.so.3 libmkl_sequential.so.2)
find_shared_library(mkl_core mkl_core libmkl_core.so.3 libmkl_core.so.2)
find_header(mkl_sycl_include oneapi/mkl/blas.hpp)
find_shared_library(mkl_sycl_library mkl_sycl_blas libmkl_sycl_blas.so.6 libmkl_sycl_blas.so.5)
find_header(dnnl_include oneapi/dnnl/dnnl_sycl.hpp)
find_shared_library(dnnl_library dnnl libdnnl.so.3)
find_header(tbb_include oneapi/tbb/parallel_for.h)
find_shared_library(tbb_library tbb libtbb.so.12)

if(NOT ONEAPI_sycl_include OR NOT ONEAPI_sycl_library)
  message(FATAL_ERROR
    "No DPC++ below ${CAMBIUM_ONEAPI_ROOT} (looked for include/sycl/sycl.hpp and lib/libsycl.so).\n"
    "Run `make setup` to put the pinned wheels there, or name an installed oneAPI or intel/llvm build with "
    "-DCAMBIUM_ONEAPI_ROOT=<dir>.")
endif()
if(NOT ONEAPI_opencl_include)
  find_path(ONEAPI_opencl_include CL/cl.h REQUIRED)  # Debian: opencl-headers
endif()
if(NOT ONEAPI_opencl_library)
  find_library(ONEAPI_opencl_library NAMES OpenCL libOpenCL.so.1 REQUIRED)  # Debian: ocl-icd-opencl-dev
endif()

function(define_target name include)
  add_library(OneApi::${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(OneApi::${name} SYSTEM INTERFACE ${include})
  target_link_libraries(OneApi::${name} INTERFACE ${ARGN})
endfunction()

define_target(sycl "${ONEAPI_sycl_include};${ONEAPI_opencl_include}" ${ONEAPI_sycl_library} ${ONEAPI_opencl_library})
target_compile_definitions(OneApi::sycl INTERFACE SYCL_DISABLE_FSYCL_SYCLHPP_WARNING CL_TARGET_OPENCL_VERSION=300)
# The vendor libraries find each other by RPATH only (a RUNPATH does not reach past the program itself).
get_filename_component(library_directory "${ONEAPI_sycl_library}" DIRECTORY)
set(ONEAPI_library_directories "${library_directory}")
target_link_options(OneApi::sycl INTERFACE "LINKER:--disable-new-dtags")

set(CAMBIUM_BACKENDS portable)
if(ONEAPI_mkl_include AND ONEAPI_mkl_lp64 AND ONEAPI_mkl_sequential AND ONEAPI_mkl_core AND ONEAPI_tbb_library)
  define_target(mkl "${ONEAPI_mkl_include};${ONEAPI_tbb_include}" -Wl,--no-as-needed ${ONEAPI_mkl_lp64}
                ${ONEAPI_mkl_sequential} ${ONEAPI_mkl_core} ${ONEAPI_tbb_library})
  list(APPEND CAMBIUM_BACKENDS native)
endif()
if(ONEAPI_mkl_sycl_include AND ONEAPI_mkl_sycl_library AND TARGET OneApi::mkl)
  define_target(mkl_sycl "${ONEAPI_mkl_sycl_include}" ${ONEAPI_mkl_sycl_library})
  list(APPEND CAMBIUM_BACKENDS onemkl)
endif()
if(ONEAPI_dnnl_include AND ONEAPI_dnnl_library AND ONEAPI_tbb_library)
  define_target(dnnl "${ONEAPI_dnnl_include};${ONEAPI_tbb_include}" ${ONEAPI_dnnl_library} ${ONEAPI_tbb_library})
  list(APPEND CAMBIUM_BACKENDS onednn)
endif()
foreach(library mkl_core mkl_sycl_library dnnl_library tbb_library)
  if(ONEAPI_${library})
    get_filename_component(directory "${ONEAPI_${library}}" DIRECTORY)
    list(APPEND ONEAPI_library_directories "${directory}")
  endif()
endforeach()
list(REMOVE_DUPLICATES ONEAPI_library_directories)
message(STATUS "DPC++: ${ONEAPI_sycl_library}; backends: ${CAMBIUM_BACKENDS}")
