# Distribution packages only; the message says how to get a missing one.
foreach(package fmt yaml-cpp nlohmann_json CLI11)
  find_package(${package} QUIET)
  if(NOT ${package}_FOUND)
    message(FATAL_ERROR "${package} not found. On Debian or Ubuntu:\n"
      "  sudo apt-get install libfmt-dev libyaml-cpp-dev nlohmann-json3-dev libcli11-dev catch2")
  endif()
endforeach()
