# All from Debian 12 packages; docs/dependencies.md says why each is here.
find_package(yaml-cpp REQUIRED)        # libyaml-cpp-dev
find_package(nlohmann_json REQUIRED)   # nlohmann-json3-dev
find_package(CLI11 REQUIRED)           # libcli11-dev
find_package(fmt REQUIRED)             # libfmt-dev: headers; cmake/fmt.cpp is its library
find_package(tl-expected REQUIRED)     # libexpected-dev
find_package(ZLIB REQUIRED)            # zlib1g-dev
find_library(HEADROOM_ZSTD_SHARED zstd REQUIRED)   # libzstd-dev
find_path(HEADROOM_EDIT_INCLUDE editline/readline.h REQUIRED)   # libedit-dev
if(HEADROOM_STATIC)
  foreach(part edit tinfo bsd md)   # libedit and what it needs
    list(APPEND HEADROOM_EDIT "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/lib${part}.a")
  endforeach()
  set(HEADROOM_ZLIB "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libz.a")
  set(HEADROOM_ZSTD "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libzstd.a")
  set(HEADROOM_YAML_CPP "/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/libyaml-cpp.a")
else()
  set(HEADROOM_EDIT edit)
  set(HEADROOM_ZLIB ZLIB::ZLIB)
  set(HEADROOM_ZSTD "${HEADROOM_ZSTD_SHARED}")
  set(HEADROOM_YAML_CPP yaml-cpp)
endif()

add_library(headroom_fmt STATIC "${CMAKE_CURRENT_LIST_DIR}/fmt.cpp")
target_include_directories(headroom_fmt SYSTEM PUBLIC "$<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>")
