# What `cmake --install` puts where: the library with its headers and find_package(reckon), the
# program, and the data the program looks names up in.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS reckon_lib EXPORT reckon FILE_SET HEADERS)
install(EXPORT reckon NAMESPACE reckon:: FILE reckonTargets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/reckon)
configure_package_config_file(cmake/reckonConfig.cmake.in reckonConfig.cmake
        INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/reckon)
write_basic_package_version_file(reckonConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/reckonConfig.cmake
              ${PROJECT_BINARY_DIR}/reckonConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/reckon)

# The program finds its data in ../share/reckon, seen from its own folder.
if(TARGET reckon)
  install(TARGETS reckon)
endif()
foreach(folder IN ITEMS hardware models formats optimizers presets laws measurements plans/starters plans/spaces
        plans/measured)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/${folder})
    cmake_path(GET folder PARENT_PATH parent)
    install(DIRECTORY ${folder} DESTINATION share/reckon/${parent})
  endif()
endforeach()
if(EXISTS ${PROJECT_SOURCE_DIR}/LICENSE)
  install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()
