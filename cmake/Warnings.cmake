# One interface target that every target of ours links: warnings as errors, sanitizers.
add_library(headroom_options INTERFACE)
target_compile_options(headroom_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 reports overlaps that cannot be for std::string's operator+ (GCC bug 105651).
  target_compile_options(headroom_options INTERFACE -Wno-restrict)
endif()
target_include_directories(headroom_options INTERFACE "${CMAKE_SOURCE_DIR}/include")
if(HEADROOM_SANITIZE)
  target_compile_options(headroom_options INTERFACE -fsanitize=${HEADROOM_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # sees through sanitizer code badly: false alarms on std::variant
    target_compile_options(headroom_options INTERFACE -Wno-maybe-uninitialized)
  endif()
  target_link_options(headroom_options INTERFACE -fsanitize=${HEADROOM_SANITIZE})
endif()
