# A room is a folder that is a library of its own, and may include only its own headers and those of the rooms that it
# names. Its include path, build/rooms/<room>, contains a link to the room and nothing else, so an include of any other
# room does not compile.
#
#   cambium_room(lab/run DEPENDS lab/training)
#
# defines cambium_lab_run from lab/run/*.cpp. Rooms below a room that is named in DEPENDS are visible, too.
function(cambium_room room)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "" "DEPENDS;LIBRARIES;PRIVATE_LIBRARIES;EXCLUDE;SOURCES")
  string(REPLACE "/" "_" target "cambium_${room}")
  file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${room}/*.cpp")
  foreach(name IN LISTS ARG_EXCLUDE)
    list(REMOVE_ITEM sources "${PROJECT_SOURCE_DIR}/${room}/${name}")
  endforeach()
  add_library(${target} STATIC ${sources} ${ARG_SOURCES})
  cambium_room_path(path ${room})
  target_compile_options(${target} PUBLIC "SHELL:-iquote ${path}")
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
