# What `cmake --install` gives: headers, library, command line, CMake package, pkg-config file.
include(CMakePackageConfigHelpers)

install(TARGETS updraft EXPORT updraft-targets)
install(DIRECTORY include/updraft DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_BINARY_DIR}/include/updraft/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/updraft)
if(UPDRAFT_BUILD_CLI)
  install(TARGETS updraft_cli)
endif()

set(UPDRAFT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/updraft)
install(EXPORT updraft-targets NAMESPACE updraft:: DESTINATION ${UPDRAFT_CMAKE_DIR})
configure_package_config_file(cmake/updraft-config.cmake.in updraft-config.cmake
                              INSTALL_DESTINATION ${UPDRAFT_CMAKE_DIR})
write_basic_package_version_file(updraft-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/updraft-config.cmake
              ${PROJECT_BINARY_DIR}/updraft-config-version.cmake
        DESTINATION ${UPDRAFT_CMAKE_DIR})

# Who links to a static library links to what it uses.
if(BUILD_SHARED_LIBS)
  set(UPDRAFT_PC_REQUIRES Requires.private)
else()
  set(UPDRAFT_PC_REQUIRES Requires)
endif()
configure_file(cmake/updraft.pc.in updraft.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/updraft.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
