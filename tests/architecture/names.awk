# Reads the paths of all headers, one a line, and reports a name that two of them define in one namespace:
#
#   include/reckon/cost/training.hpp:106: kNoTokens of reckon::detail is defined in include/reckon/cost/experts.hpp too
#
# A file that includes only one of the two compiles; what is linked of both is one of them, whichever came first. Looks
# at lines as .clang-format leaves them: what begins at the margin belongs to a namespace. Functions may be overloaded,
# so theirs are whole signatures.

{ path[++paths] = $0 }

END {
  for (i = 1; i <= paths; i++) check_file(path[i])
  exit faults > 0
}

function check_file(file,    line, line_number, depth, spaces, head, text) {
  line_number = depth = 0
  head = ""
  while ((getline line < file) > 0) {
    line_number++
    sub(/[ ]*\/\/ [^n].*$/, "", line)  # comments, but for the ends of namespaces
    if (line ~ /^namespace/) {
      text = line
      sub(/^namespace */, "", text)
      sub(/ *\{.*$/, "", text)
      spaces[++depth] = text
      continue
    }
    if (line ~ /^} *\/\/ *namespace/) {
      if (depth > 0) depth--
      continue
    }
    if (head == "" && line ~ /^template /) {
      head = line
      if (line !~ />$/) continue  # the parameters go on
      continue
    }
    if (head != "" && head !~ /^template <.*>$/ && head ~ /^template / && head !~ />/) {
      head = head " " line
      continue
    }
    define(file, line_number, line, head, spaces, depth)
    head = ""
  }
  close(file)
}

function within(spaces, depth,    k, text) {
  text = ""
  for (k = 1; k <= depth; k++) text = text (k > 1 ? "::" : "") spaces[k]
  return text
}

function define(file, line_number, line, head, spaces, depth,    name, words) {
  name = ""
  if (line ~ /^(inline|static|constexpr|const) / && line ~ /(^| )const(expr)? / &&
      line !~ /\(.*\) *(const *)?\{/) {
    if (match(line, /k[A-Z][A-Za-z0-9_]*(\[[^\]]*\])* *(=|\{|$)/)) {
      name = substr(line, RSTART, RLENGTH)
      sub(/[^A-Za-z0-9_].*$/, "", name)
    }
  } else if (line ~ /^(struct|class|union|enum|enum class) [A-Za-z_]/ && line !~ /;$/ &&
             line !~ /^[a-z ]+[A-Za-z_:]+</) {
    split(line, words, " ")
    name = words[2] == "class" ? words[3] : words[2]
    sub(/[^A-Za-z0-9_].*$/, "", name)
  } else if (line ~ /^[A-Za-z].*\(.*\) *(const *)?\{/ && line !~ /^(if|for|while|switch|#)/) {
    name = line
    sub(/ *\{.*$/, "", name)
    if (head != "") name = head " " name
  }
  if (name == "") return
  note(file, line_number, name, within(spaces, depth))
}

function note(file, line_number, name, space,    key) {
  key = space "::" name
  if (key in first && first[key] != file) {
    print file ":" line_number ": " name " of " space " is defined in " first[key] " too"
    faults++
    return
  }
  first[key] = file
}
