# Distribution packages only; the message says how to get a missing one.
set(reckon_packages fmt yaml-cpp nlohmann_json)
if(PROJECT_IS_TOP_LEVEL)
  list(APPEND reckon_packages CLI11) # the program's
endif()
foreach(package IN LISTS reckon_packages)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} not found. On Debian or Ubuntu:\n"
      "  sudo apt-get install libfmt-dev libyaml-cpp-dev nlohmann-json3-dev libcli11-dev catch2")
  endif()
endforeach()

find_package(Threads REQUIRED) # the system's own

# The name that yaml-cpp's target has from version 0.8 on.
if(NOT TARGET yaml-cpp::yaml-cpp)
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()

# Compiling again what was compiled before takes no time, where ccache is there.
find_program(ccache ccache NO_CACHE)
if(PROJECT_IS_TOP_LEVEL AND ccache AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ccache})
endif()
