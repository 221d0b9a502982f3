# What `cmake --install` (make install PREFIX=...) installs: the program, and the rooms that a C++ program needs to train,
# as the CMake package "cambium" with the target cambium::cambium.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(library_rooms base sycl layers optim plasticity streams/data streams lab/config lab/results lab/training lab/run)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/cambium")

install(TARGETS cambium RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
foreach(room IN LISTS library_rooms)
  string(REPLACE "/" "_" name "${room}")
  set_target_properties(cambium_${name} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS cambium_${name} EXPORT cambium ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}/cambium")
  file(GLOB headers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${room}/*.hpp")
  install(FILES ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/cambium/${room}")
endforeach()
install(EXPORT cambium NAMESPACE cambium:: FILE targets.cmake DESTINATION "${package_folder}")
configure_package_config_file(cmake/cambium-config.cmake.in "${PROJECT_BINARY_DIR}/cambium-config.cmake"
                              INSTALL_DESTINATION "${package_folder}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/cambium-config-version.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/cambium-config.cmake" "${PROJECT_BINARY_DIR}/cambium-config-version.cmake"
              cmake/OneApi.cmake
        DESTINATION "${package_folder}")
