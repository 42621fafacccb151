# SPDX-License-Identifier: MIT
# cmake --install: the command, the shared libraries, headers, a CMake package and a pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(LOCKSTEP_HEADERS ${CMAKE_INSTALL_INCLUDEDIR}/lockstep)  # "emu/dispatch.h" is found below it

# The static libraries that lockstep::NAME promises; each brings its folder's headers.
set(exported "")
foreach(name isa asm loader emu)
  if(NOT TARGET lockstep_${name})
    continue()
  endif()
  list(APPEND exported lockstep_${name})
  set_target_properties(lockstep_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(lockstep_${name} INTERFACE $<INSTALL_INTERFACE:${LOCKSTEP_HEADERS}>)
  target_compile_features(lockstep_${name} PUBLIC cxx_std_20)
  install(DIRECTORY ${CMAKE_SOURCE_DIR}/${name} DESTINATION ${LOCKSTEP_HEADERS}
    FILES_MATCHING PATTERN "*.h" PATTERN "*.def")
endforeach()
install(TARGETS ${exported} EXPORT lockstepTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT lockstepTargets NAMESPACE lockstep:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/lockstepConfig.cmake.in
  ${CMAKE_BINARY_DIR}/lockstepConfig.cmake INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/lockstepConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/lockstepConfig.cmake ${CMAKE_BINARY_DIR}/lockstepConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/lockstep)

# pkg-config's prefix is relative to its own file, so that an installed tree can be moved.
file(RELATIVE_PATH LOCKSTEP_PC_TO_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(${CMAKE_SOURCE_DIR}/cmake/lockstep.pc.in ${CMAKE_BINARY_DIR}/lockstep.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/lockstep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
