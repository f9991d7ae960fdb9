# The targets of Google Benchmark's package, with the library of iai-callgrind.
include(CMakeFindDependencyMacro)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_dependency(Threads)
get_filename_component(benchmark_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET benchmark::benchmark)
  add_library(benchmark::benchmark STATIC IMPORTED GLOBAL)
  set_target_properties(benchmark::benchmark PROPERTIES
    IMPORTED_LOCATION "${benchmark_PREFIX}/lib/libbenchmark.a"
    INTERFACE_INCLUDE_DIRECTORIES "${benchmark_PREFIX}/include"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};-Wl,--gc-sections")
  add_library(benchmark::benchmark_main STATIC IMPORTED GLOBAL)
  set_target_properties(benchmark::benchmark_main PROPERTIES
    IMPORTED_LOCATION "${benchmark_PREFIX}/lib/libbenchmark_main.a"
    INTERFACE_LINK_LIBRARIES benchmark::benchmark)
endif()

# The names without a namespace, which add_subdirectory has
foreach(benchmark_NAME benchmark benchmark_main)
  if(NOT TARGET ${benchmark_NAME})
    add_library(${benchmark_NAME} INTERFACE IMPORTED GLOBAL)
    set_target_properties(${benchmark_NAME} PROPERTIES
      INTERFACE_LINK_LIBRARIES benchmark::${benchmark_NAME})
  endif()
endforeach()
