# Prints file:line: what is wrong with a text, for scripts/lint.

function fault(text) {
  print FILENAME ":" FNR ": " text
  faults = 1
}

/\t/ { fault("tab") }
/[ \r]$/ { fault("space or carriage return at the end of the line") }

FILENAME ~ /\.([ch]pp|cuh?|sh|awk|cmake)$|CMakeLists|scripts\/|\.ci\// {
  text = $0
  gsub(/[\200-\277]/, "", text) # characters, not bytes of UTF-8
  if (length(text) > 120 && text !~ /https?:/) fault("more than 120 columns")
}

FILENAME ~ /^(src|include)\// && /(^|[^A-Za-z])(TODO|FIXME|XXX)([^A-Za-z]|$)/ {
  fault("unfinished work belongs in an issue, or done")
}

END { exit faults }
