# Reads the paths of all source files, one a line, and reports what breaks the one-way floors:
#
#   src/cost/ring.cpp:3: cost must not include doc/field.hpp (it may use: base units spec cost)
#
# Looks at lines, not at tokens: a `//` comment is dropped, nothing else is understood.

BEGIN {
  may["base"] = "base"
  may["units"] = "base units"
  may["doc"] = "base units doc"
  may["schedule"] = "schedule"
  may["spec"] = "base units doc schedule load spec"
  may["numerics"] = "base numerics"
  may["load"] = "base numerics load"
  may["cost"] = "base units schedule load spec cost"
  may["engine"] = "base units doc schedule load spec numerics cost engine"
  may["report"] = "base units schedule numerics engine report"
  may["cli"] = "base units doc schedule load spec numerics cost engine report cli"

  # Where each library may be named. A header of ours that named one would hand it to every user.
  home["CLI"] = "src/cli"
  home["yaml-cpp"] = "src/doc"
  home["nlohmann"] = "src/doc src/engine src/report"
  home["fmt"] = "include/reckon src"
  home["sys"] = home["unistd.h"] = home["fcntl.h"] = "src/base src/cli"
}

{ path[++paths] = $0; is_file[$0] = 1 }

END {
  for (i = 1; i <= paths; i++) check_file(path[i])
  exit faults > 0
}

function fault(text) {
  print file ":" line_number ": " text
  faults++
}

# "include/reckon/units/formula/tape.hpp" -> "units"
function floor_of(name) {
  if (name !~ /^(include\/reckon|src)\/[^\/]+\//) return ""
  sub(/^(include\/reckon|src)\//, "", name)
  sub(/\/.*/, "", name)
  return name
}

# "src/cli/plans/../command.hpp" -> "src/cli/command.hpp"
function normal(name) {
  while (sub(/\/[^\/.]+\/\.\.\//, "/", name));
  return name
}

function check_file(name,   line) {
  file = name
  line_number = 0
  floor = floor_of(file)
  if (!(floor in may)) fault("is on no floor: base units doc schedule spec numerics load cost engine report cli")
  while ((getline line < file) > 0) {
    line_number++
    sub(/\/\/.*/, "", line)
    if (line ~ /^[ \t]*#[ \t]*include[ \t]*"/) check_own_include(quoted(line, "\"[^\"]*\""))
    else if (line ~ /^[ \t]*#[ \t]*include[ \t]*</) check_library(quoted(line, "<[^>]*>"))
    if (line ~ /(^|[^A-Za-z0-9_])assert[ \t]*\(/)
      fault("no assert: report the user's faults, throw std::logic_error for ours")
    if (floor == "cost" && line ~ /\.raw([^A-Za-z0-9_]|$)/)
      fault(".raw drops the dimension and the recording: it stays inside the formula core")
  }
  close(file)
}

function quoted(line, pattern) {
  match(line, pattern)
  return substr(line, RSTART + 1, RLENGTH - 2)
}

function check_own_include(name,   target, folder) {
  folder = file
  sub(/[^\/]*$/, "", folder)
  if (name ~ /^reckon\//) target = "include/" name
  else target = normal(folder name)
  if (!is_file[target] && is_file["src/" name]) target = "src/" name
  if (!is_file[target]) {
    fault("includes \"" name "\", which is neither a header of ours nor beside this file")
    return
  }
  if (index(" " may[floor] " ", " " floor_of(target) " ") == 0) {
    sub(/^(include\/reckon|src)\//, "", target)
    fault(floor " must not include " target " (it may use: " may[floor] ")")
  }
}

# Is `file` in one of these folders?
function lies_in(folders,   word, n, i) {
  n = split(folders, word, " ")
  for (i = 1; i <= n; i++)
    if (index(file, word[i] "/") == 1) return 1
  return 0
}

function check_library(name,   library) {
  if (name == "cassert" || name == "assert.h") fault("no assert: includes <" name ">")
  else if (name ~ /^[a-z_0-9]+$/) return # the standard library
  else {
    library = name
    sub(/\/.*/, "", library)
    if (!(library in home)) fault("includes <" name ">, which is no dependency of reckon")
    else if (!lies_in(home[library])) fault("<" name "> is for " home[library] " only")
    else if (library == "CLI" && first_cli && first_cli != file)
      fault("<" name "> costs seconds to compile: one file includes it, and that is " first_cli)
    else if (library == "CLI") first_cli = file
  }
}
