# `cmake --install` and packages. Component `program`: the program, its manual, completions and rule pages.
# Component `development`: headers and one archive, for find_package(headroom).
include(GNUInstallDirs)
set(doc_dir "${CMAKE_INSTALL_DATAROOTDIR}/doc/headroom")

# Made by the program from the definitions of its own command line.
set(pages "${CMAKE_BINARY_DIR}/pages")
set(made "")
foreach(pair "man:headroom.1" "bash:headroom.bash" "zsh:_headroom" "fish:headroom.fish")
  string(REPLACE ":" ";" pair "${pair}")
  list(GET pair 0 what)
  list(GET pair 1 file)
  add_custom_command(OUTPUT "${pages}/${file}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${pages}"
    COMMAND headroom generate ${what} > "${pages}/${file}"
    DEPENDS headroom VERBATIM)
  list(APPEND made "${pages}/${file}")
endforeach()
add_custom_target(headroom_pages ALL DEPENDS ${made})

install(TARGETS headroom RUNTIME COMPONENT program)
install(FILES "${pages}/headroom.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT program)
install(FILES "${pages}/headroom.bash" DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions"
  RENAME headroom COMPONENT program)
install(FILES "${pages}/headroom.fish" DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d" COMPONENT program)
# zsh looks into the first below /usr/local, into the second below /usr.
foreach(folder site-functions vendor-completions)
  install(FILES "${pages}/_headroom" DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/zsh/${folder}" COMPONENT program)
endforeach()
install(DIRECTORY rules DESTINATION "${doc_dir}" COMPONENT program FILES_MATCHING PATTERN "*.md")
install(DIRECTORY docs DESTINATION "${doc_dir}" COMPONENT program)
install(FILES README.md DESTINATION "${doc_dir}" COMPONENT program)
install(FILES LICENSE DESTINATION "${doc_dir}" RENAME copyright COMPONENT program)

get_property(modules GLOBAL PROPERTY HEADROOM_MODULES)
set(objects $<TARGET_OBJECTS:headroom_data> $<TARGET_OBJECTS:headroom_fmt>)
foreach(module IN LISTS modules)
  list(APPEND objects $<TARGET_OBJECTS:headroom_${module}>)
endforeach()
add_library(headroom_library STATIC ${objects})
set_target_properties(headroom_library PROPERTIES OUTPUT_NAME headroom EXPORT_NAME headroom LINKER_LANGUAGE CXX)
target_compile_features(headroom_library INTERFACE cxx_std_20)
target_include_directories(headroom_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(headroom_library INTERFACE tl::expected yaml-cpp ZLIB::ZLIB zstd)

set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/headroom")
install(TARGETS headroom_library EXPORT headroomTargets ARCHIVE COMPONENT development)
install(EXPORT headroomTargets NAMESPACE headroom:: DESTINATION "${config_dir}" COMPONENT development)
install(DIRECTORY include/headroom DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development)
install(DIRECTORY examples/consumer DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/doc/libheadroom-dev/examples" COMPONENT development)
include(CMakePackageConfigHelpers)
write_basic_package_version_file("${CMAKE_BINARY_DIR}/headroomConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES cmake/headroomConfig.cmake "${CMAKE_BINARY_DIR}/headroomConfigVersion.cmake" DESTINATION "${config_dir}"
  COMPONENT development)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_VENDOR headroom)
set(CPACK_PACKAGE_CONTACT "headroom developers <headroom@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "linter and advisor for configs of large language model training")
set(CPACK_RESOURCE_FILE_LICENSE "${CMAKE_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_PROJECT_CONFIG_FILE "${CMAKE_SOURCE_DIR}/cmake/CPackOptions.cmake")
set(CPACK_PACKAGE_FILE_NAME "headroom-${PROJECT_VERSION}")   # the folder in archives
set(CPACK_ARCHIVE_PROGRAM_FILE_NAME "headroom-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_ARCHIVE_DEVELOPMENT_FILE_NAME "libheadroom-dev-${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME headroom)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libheadroom-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libyaml-cpp-dev, libexpected-dev, zlib1g-dev, libzstd-dev, nlohmann-json3-dev")
if(NOT HEADROOM_STATIC)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
endif()
include(CPack)
