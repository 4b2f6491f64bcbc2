# One interface target that every target of ours links: warnings as errors, sanitizers.
add_library(headroom_options INTERFACE)
target_compile_options(headroom_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror)
target_include_directories(headroom_options INTERFACE "${CMAKE_SOURCE_DIR}/include")
if(HEADROOM_SANITIZE)
  target_compile_options(headroom_options INTERFACE -fsanitize=${HEADROOM_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=all)
  target_link_options(headroom_options INTERFACE -fsanitize=${HEADROOM_SANITIZE})
endif()
