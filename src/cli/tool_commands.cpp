// Tools: fit, formulas, schema, completion, help.
#include "command.hpp"

namespace reckon::cli {

void add_tool_commands(std::vector<Command>& all, Values& v) {
  all.push_back(
      {"fit",
       kTools,
       "DATA.csv",
       "a scaling law from your own runs, with intervals",
       {"reckon fit laws/data/chinchilla-245.csv --drop-highest 5",
        "reckon fit runs.csv --columns 'params=Model Size' --output my-law.yaml",
        "reckon fit runs.csv --approach isoflop --residuals"},
       [&v](Declare& d) {
         FitCommandOptions& o = v.fit;
         d.positional("DATA", o.data, "a CSV file of runs: params, flops or tokens, loss")
             .required();
         d.repeated("--columns", o.columns, "NAME=COLUMN",
                    "what a column is called: params, tokens, flops or loss (repeatable)");
         d.word("--approach", o.approach, "WORD",
                "loss (E, A, B, α, β at once) or isoflop (parabolas)")
             .one_of({"loss", "isoflop"});
         d.word("--drop-highest", o.drop_highest, "N", "leave out so many runs of highest loss");
         d.word("--drop-above", o.drop_above, "LOSS", "leave out runs of a higher loss");
         d.word("--delta", o.delta, "X", "of Huber's function, on log loss; 0.001 if not stated");
         d.word("--starts", o.starts, "N", "starts of the search; 4500 if not stated");
         d.word("--bootstrap", o.bootstrap, "N", "resamples for intervals; 200 if not stated");
         d.word("--seed", o.seed, "N", "of the resamples; 1 if not stated");
         d.word("--threads", o.threads, "N", "the answer does not depend on it");
         d.flag("--residuals", o.residuals, "a line for every run");
         d.flag("--as-law", o.as_law, "print the law file");
         d.word("--output", o.output, "FILE", "write the law file there");
         d.word("--name", o.name, "TEXT", "the law's name in it");
       },
       [&v](Session& s, const Shared& g) { return fit(s, g, v.fit); }});
  all.push_back({"formulas",
                 kTools,
                 "[PATTERN]",
                 "every formula: text, meaning, source",
                 {"reckon formulas 'memory.*'", "reckon formulas pollaczek",
                  "reckon formulas --format md > docs/formulas.md"},
                 [&v](Declare& d) {
                   d.positional("PATTERN", v.formulas.pattern,
                                "ids to print, * stands for anything; or a word of an id, title, "
                                "source or header");
                 },
                 [&v](Session& s, const Shared& g) { return formulas(s, g, v.formulas); }});
  all.push_back(
      {"schema",
       kTools,
       "[KIND]",
       "JSON Schema of a kind of file, for editors",
       {"reckon schema training > training.schema.json", "reckon schema model --format md"},
       [&v](Declare& d) {
         d.positional("KIND", v.schema.kind,
                      "a kind of file (training, serving, space, model, chip, stack, engine, "
                      "kernels, measurements, …) or of question (states, load, …); all")
             .one_of(words_of_schema());
       },
       [&v](Session& s, const Shared& g) { return schema(s, g, v.schema); }});
  all.push_back({"completion",
                 kTools,
                 "SHELL",
                 "a script that completes commands, options and names as you type",
                 {"reckon completion bash > ~/.local/share/bash-completion/completions/reckon",
                  "source <(reckon completion zsh)",
                  "reckon completion fish > ~/.config/fish/completions/reckon.fish"},
                 [&v](Declare& d) {
                   d.positional("SHELL", v.completion.shell, "bash, zsh or fish")
                       .required()
                       .one_of({"bash", "zsh", "fish"});
                 },
                 [&v](Session& s, const Shared& g) { return completion(s, g, v.completion); },
                 true});
  all.push_back({"help",
                 kTools,
                 "[TOPIC] [PLAN]",
                 "a topic explained, with a plan's numbers beside it",
                 {"reckon help", "reckon help parallelism",
                  "reckon help parallelism plans/starters/70b-64xh100.yaml --format md"},
                 [&v](Declare& d) {
                   d.positional("TOPIC", v.help.topic, "one of those that `reckon help` lists");
                   d.positional("PLAN", v.help.plan, "a training plan; - reads stdin");
                   d.word("--case", v.help.which_case, "NAME", "one of the plan's cases");
                 },
                 [&v](Session& s, const Shared& g) { return help(s, g, v.help); }});
}

}  // namespace reckon::cli
