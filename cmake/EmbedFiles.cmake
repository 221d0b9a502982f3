# Writes OUTPUT, a C++ file that defines cambium::embedded_files() from the text FILES (relative to SOURCE_DIR).
# Run as a script: cmake -DOUTPUT=... -DSOURCE_DIR=... -DFILES="a;b" -P EmbedFiles.cmake
set(text "// Generated from the .sycl files and the headers they include.\n#include \"sycl/kernel_library.hpp\"\n\n")
string(APPEND text "namespace cambium {\n\nstd::span<const EmbeddedFile> embedded_files() {\n  static constexpr EmbeddedFile files[] = {\n")
foreach(file IN LISTS FILES)
  file(READ "${SOURCE_DIR}/${file}" content)
  string(APPEND text "      {\"${file}\", R\"embedded(${content})embedded\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n}  // namespace cambium\n")
file(WRITE "${OUTPUT}" "${text}")
