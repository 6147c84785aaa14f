// A project that uses the installed library.
#include <reckon/base/edit_distance.hpp>

int main() { return reckon::closest("tenser", {"pipeline", "tensor"}) == "tensor" ? 0 : 1; }
