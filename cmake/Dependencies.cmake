# All from Debian 12 packages; docs/dependencies.md says why each is here.
find_package(yaml-cpp REQUIRED)        # libyaml-cpp-dev
find_package(nlohmann_json REQUIRED)   # nlohmann-json3-dev
find_package(CLI11 REQUIRED)           # libcli11-dev
find_package(fmt REQUIRED)             # libfmt-dev, used header-only: Debian has no static library
find_package(tl-expected REQUIRED)     # libexpected-dev
if(HEADROOM_STATIC)
  set(HEADROOM_YAML_CPP "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libyaml-cpp.a")
else()
  set(HEADROOM_YAML_CPP yaml-cpp)
endif()
