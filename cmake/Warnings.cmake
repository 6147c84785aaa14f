# The flags every target is compiled with.
#
# Warnings are errors with the compilers that CI uses. A newer compiler knows new ones, and -O2 has
# false ones (so not in the preset `release`): they are shown, and reckon still builds there.
set(reckon_werror OFF)
if(PROJECT_IS_TOP_LEVEL AND "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
                            MATCHES "^(GNU 12|Clang 14)\\.")
  set(reckon_werror ON)
endif()
option(RECKON_WERROR "warnings are errors" ${reckon_werror})

function(reckon_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wpedantic -Wconversion -Wnon-virtual-dtor -Wold-style-cast -ffp-contract=off
    # A constructor's parameter may be called as the member it sets: clang's -Wshadow knows that,
    # g++'s does not.
    $<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local,-Wshadow>
    # g++ 12 sees overlapping copies in std::string::insert where there are none (its bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
  if(RECKON_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
