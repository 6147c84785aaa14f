// Which constants of a stack are fitted, and the stack that it starts from.
#include <fmt/format.h>

#include "reckon/doc/bind.hpp"
#include "reckon/spec/compiled_once.hpp"
#include "reckon/units/parse.hpp"
#include "stack_fit.hpp"

namespace reckon {
namespace {

// A member by its path, through structs.
template <Described S>
StackNumber number_in(S& s, std::string_view path) {
  StackNumber out;
  const std::size_t dot = path.find('.');
  const std::string_view head = path.substr(0, dot);
  S::fields(
      [&](const Field& f, auto& member) {
        using T = std::remove_reference_t<decltype(member)>;
        if (f.name != head) return;
        if constexpr (detail::is_quantity<T>) {
          if (dot == path.npos) out = {&member.raw, detail::dim_of(member), f.hint_};
        } else if constexpr (detail::Element<T>::optional) {
          if constexpr (detail::is_quantity<typename T::value_type>) {
            if (member && dot == path.npos) out = {&member->raw, detail::dim_of(*member), f.hint_};
          }
        } else if constexpr (Described<T>) {
          if (dot != path.npos) out = number_in(member, path.substr(dot + 1));
        }
      },
      s);
  return out;
}

// A bound in its field's unit.
bool read_bound(const StackConstant& c, const std::string& text, const StackNumber& number,
                bool share, Span span, Diagnostics& d, double& out) {
  const auto parsed =
      parse_quantity(text, share ? kOne : number.dim, share ? Hint::kFraction : number.hint);
  if (const auto* fault = std::get_if<ParseError>(&parsed)) {
    d.error(span, fmt::format("{}: {}", c.field, fault->message)).help(fault->help);
    return false;
  }
  out = std::get<double>(parsed);
  return true;
}

// A stack that states every number, for the units of all fields.
Stack<double> complete_stack() {
  Stack<double> out;
  out.gemm.ceiling_fp8 = out.gemm.ceiling_fp4 = Ratio<double>(1);
  return out;
}

bool read_constant(const StackConstant& c, Span span, FitPlan& out, Diagnostics& d) {
  Stack<double> any = complete_stack();
  const StackNumber number = stack_number(any, c.field);
  if (!number.value) {
    d.error(span, fmt::format("a stack has no number '{}'", c.field))
        .help("`reckon schema stack --format md` lists a stack's fields");
    return false;
  }
  FitPlan::Constant k{c.field, 0, 0, 0, c.scale == ConstantScale::kSize, span};
  if (!read_bound(c, c.low, number, false, span, d, k.low) ||
      !read_bound(c, c.high, number, false, span, d, k.high) ||
      !read_bound(c, c.spread, number, k.is_size, span, d, k.spread))
    return false;
  if (!(k.low < k.high) || !(k.spread > 0) || (k.is_size && !(k.low > 0))) {
    d.error(span, fmt::format("{}: the bounds hold nothing", c.field))
        .help("low below high, a spread above 0, and the low end of a size above 0");
    return false;
  }
  out.constants.push_back(k);
  return true;
}

}  // namespace

StackNumber stack_number(Stack<double>& stack, std::string_view path) {
  return number_in(stack, path);
}

std::optional<FitPlan> stack_constants(Workspace& work, Diagnostics& d) {
  std::error_code error;
  for (const auto& root : work.roots()) {
    const auto path = root / "plans/measured/constants.yaml";
    if (!std::filesystem::is_regular_file(path, error)) continue;
    const std::size_t before = d.error_count();
    doc::Value tree = work.read_data(path, {}, d);
    doc::take(tree, "kind");
    StackConstants<double> file;
    Origins origins;
    bind(tree, file, {d, origins});
    if (d.error_count() > before) return {};
    FitPlan out{file.knee.raw, file.prior.raw, file.other_weight.raw, {}, {}};
    for (const StackPrior<double>& p : file.priors) out.priors[p.stack] = p.prior.raw;
    for (std::size_t i = 0; i < file.constants.size(); ++i)
      read_constant(file.constants[i], tree.find("constants")->items[i].span, out, d);
    if (d.error_count() > before) return {};
    return out;
  }
  d.error({}, "the data folder holds no plans/measured/constants.yaml");
  return {};
}

std::optional<Stack<double>> whole_stack(Workspace& work, const std::string& id, Span said,
                                         Diagnostics& d) {
  const std::size_t before = d.error_count();
  if (!work.load(Shelf::kStacks, id, said, d)) return {};
  Stack<double> out;
  Origins origins;
  bind(resolve_stack(work, doc::scalar(id, said), nullptr, d), out, {d, origins});
  if (d.error_count() > before) return {};
  return out;
}

std::optional<Stack<double>> usual_stack(Workspace& work, const std::string& id, Span said,
                                         Diagnostics& d) {
  const doc::Value* own = work.load(Shelf::kStacks, id, said, d);
  if (!own) return {};
  const doc::Value* base = own->find("base");
  return whole_stack(work, base && base->is_scalar() ? base->text : id, base ? base->span : said,
                     d);
}

}  // namespace reckon
