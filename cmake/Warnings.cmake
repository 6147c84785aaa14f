# The flags every target is compiled with.
#
# Warnings are errors with the compilers that CI uses. A newer compiler knows new ones: they are shown, and reckon still
# builds there; so it does for who builds the preset `release`, but in CI (RECKON_WERROR=1 in the environment).
set(reckon_werror OFF)
set(reckon_optimized OFF)
if(CMAKE_CXX_FLAGS MATCHES "-O2")
  set(reckon_optimized ON)
endif()
if(PROJECT_IS_TOP_LEVEL AND "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
                            MATCHES "^(GNU 12|Clang 14)\\."
   AND (NOT reckon_optimized OR "$ENV{RECKON_WERROR}"))
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
  # What g++ 12 sees at -O2 by following values, and where there is nothing: in freed and copied vectors of ours. Who
  # builds the program to use it would read pages of them.
  if(reckon_optimized AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    foreach(guess IN ITEMS array-bounds dangling-pointer free-nonheap-object maybe-uninitialized stringop-overflow
                           stringop-overread)
      target_compile_options(${target} PRIVATE -Wno-${guess})
    endforeach()
  endif()
  if(RECKON_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
