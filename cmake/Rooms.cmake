# A room is a folder that is a library of its own. It may include its own headers and those of the rooms that it names.
# The include path of a room, build/rooms/<room>, contains a link to the room and nothing else, so an include of any
# other room does not compile (tests/includes.sh tests this).
#
#   cambium_room(lab/run DEPENDS lab/training)
#
# defines cambium_lab_run from lab/run/*.cpp. The rooms below a room in DEPENDS are visible, too.
#
# UNITY compiles four sources of the room as one: most of the compile time of base/, lab/ and bench/ is code generation
# for nlohmann::json and fmt, which is then done once per group. Names in an anonymous namespace must be unique in such
# a room, except in sources after ALONE. The rooms where every rule, stream or backend is a file of the same form do
# without. -DCAMBIUM_UNITY=OFF compiles every source alone, as each must be able to.
option(CAMBIUM_UNITY "Compile several sources of a room as one, where a room allows it" ON)
set(CAMBIUM_UNITY_SOURCES 4 CACHE STRING "How many sources are compiled as one; 0: all sources of the room")

function(cambium_room room)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "UNITY" "TARGET" "DEPENDS;LIBRARIES;PRIVATE_LIBRARIES;EXCLUDE;SOURCES;ALONE")
  string(REPLACE "/" "_" target "cambium_${room}")
  if(ARG_TARGET)
    set(target ${ARG_TARGET})
  else()
    set_property(GLOBAL APPEND PROPERTY CAMBIUM_ROOMS ${room})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${room}/*.cpp")
  foreach(name IN LISTS ARG_EXCLUDE)
    list(REMOVE_ITEM sources "${PROJECT_SOURCE_DIR}/${room}/${name}")
  endforeach()
  add_library(${target} STATIC ${sources} ${ARG_SOURCES})
  if(ARG_UNITY)
    foreach(name IN LISTS ARG_ALONE)
      set_source_files_properties("${PROJECT_SOURCE_DIR}/${room}/${name}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${CAMBIUM_UNITY}
                                               UNITY_BUILD_BATCH_SIZE ${CAMBIUM_UNITY_SOURCES})
  endif()
  cambium_room_path(path ${room})
  # -iquote and not -I: the room sycl/ must not hide <sycl/sycl.hpp>.
  target_compile_options(${target} PUBLIC "$<BUILD_INTERFACE:-iquote${path}>"
                                          "$<INSTALL_INTERFACE:-iquote$<INSTALL_PREFIX>/include/cambium>")
  list(TRANSFORM ARG_DEPENDS REPLACE "/" "_")
  list(TRANSFORM ARG_DEPENDS PREPEND "cambium_")
  target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} ${ARG_LIBRARIES} PRIVATE ${ARG_PRIVATE_LIBRARIES})
endfunction()

# The include path of a room: a folder with a link to it.
function(cambium_room_path variable room)
  string(REPLACE "/" "_" name "${room}")
  set(path "${PROJECT_BINARY_DIR}/rooms/${name}")
  get_filename_component(parent "${path}/${room}" DIRECTORY)
  file(MAKE_DIRECTORY "${parent}")
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/${room}" "${path}/${room}" SYMBOLIC)
  set(${variable} "${path}" PARENT_SCOPE)
endfunction()
