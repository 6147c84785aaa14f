# The flags every target is compiled with.
function(reckon_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion
                                           $<IF:$<CXX_COMPILER_ID:GNU>,-Wshadow=local,-Wshadow>
                                           -Wnon-virtual-dtor -Wold-style-cast -ffp-contract=off)
  if(RECKON_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
endfunction()
