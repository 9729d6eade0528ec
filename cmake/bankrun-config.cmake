# bankrun in CMake projects: find_package(bankrun) brings two functions, and BANKRUN_EXECUTABLE, the command.
#
#   bankrun_add_test(NAME name COMMAND target-or-program [argument...]
#                    [FAIL_ON gate...] [BASELINE profile] [OPTIONS option...] [WORKING_DIRECTORY folder])
#
# A test for CTest that runs a program under bankrun, without a GPU. It fails by the program's own status, or by a gate of
# `bankrun --fail-on`: excess where nothing is said, regression with a BASELINE. OPTIONS are those of `bankrun run`.
#
#   bankrun_target(target... [ARCH arch])
#
# Has CUDA targets compiled as bankrun wants them: with lines, with PTX for the architecture, with the shared runtime.
cmake_minimum_required(VERSION 3.18)

get_filename_component(_bankrun_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
find_program(BANKRUN_EXECUTABLE bankrun HINTS "${_bankrun_prefix}/bin" "${CMAKE_CURRENT_LIST_DIR}/../native"
  DOC "The command bankrun")
if(BANKRUN_EXECUTABLE)
  set(bankrun_FOUND TRUE)
else()
  set(bankrun_FOUND FALSE)
  set(bankrun_NOT_FOUND_MESSAGE "the command bankrun is not in PATH; pip install bankrun")
endif()

function(bankrun_add_test)
  set(one NAME BASELINE WORKING_DIRECTORY)
  set(several COMMAND FAIL_ON OPTIONS)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "${one}" "${several}")
  if("${arg_NAME}" STREQUAL "" OR "${arg_COMMAND}" STREQUAL "") # a command may be called `false`
    message(FATAL_ERROR "bankrun_add_test: a NAME and a COMMAND are needed")
  endif()
  if(DEFINED arg_UNPARSED_ARGUMENTS OR DEFINED arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR
      "bankrun_add_test(NAME ${arg_NAME}): not understood: ${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT DEFINED arg_FAIL_ON)
    set(arg_FAIL_ON excess)
    if(DEFINED arg_BASELINE)
      set(arg_FAIL_ON regression)
    endif()
  endif()
  list(JOIN arg_FAIL_ON "," gates)
  set(options --fail-on "${gates}" ${arg_OPTIONS})
  if(DEFINED arg_BASELINE)
    get_filename_component(baseline "${arg_BASELINE}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
    list(APPEND options --baseline "${baseline}")
  endif()
  list(POP_FRONT arg_COMMAND program)
  if(TARGET "${program}")
    set(program "$<TARGET_FILE:${program}>")
  endif()
  set(folder)
  if(DEFINED arg_WORKING_DIRECTORY)
    set(folder WORKING_DIRECTORY "${arg_WORKING_DIRECTORY}")
  endif()
  add_test(NAME "${arg_NAME}" COMMAND "${BANKRUN_EXECUTABLE}" run ${options} -- "${program}" ${arg_COMMAND} ${folder})
endfunction()

function(bankrun_target)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "ARCH" "")
  set(words)
  if(DEFINED arg_ARCH)
    set(words --arch "${arg_ARCH}")
  endif()
  execute_process(COMMAND "${BANKRUN_EXECUTABLE}" nvcc-flags ${words} OUTPUT_VARIABLE flags ERROR_VARIABLE said
    RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "bankrun_target: ${said}")
  endif()
  # CMake has a property for the runtime, and libraries are for the linker.
  string(REGEX REPLACE "-cudart +shared|-L *[^ ]+" "" flags "${flags}")
  string(STRIP "${flags}" flags)
  foreach(target IN LISTS arg_UNPARSED_ARGUMENTS)
    set_target_properties("${target}" PROPERTIES CUDA_RUNTIME_LIBRARY Shared)
    target_compile_options("${target}" PRIVATE "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:${flags}>")
  endforeach()
endfunction()
