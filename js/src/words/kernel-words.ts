/**
 * Translates the kernel's English sentences into the page's language. They stand here as the kernel makes them,
 * with `%1` and `%2` for what varies; `tests/kernel_words.json` has an example of each.
 */
import { N_, translate } from '../language';
import { patternOf, REFUSALS } from './from-kernel';

const SENTENCES = N_(
  // jaxviz/analysis/retraces/reasons.py
  'by position',
  'by keyword',
  'left out',
  'no mesh',
  'uncommitted',
  'absent',
  'tuple of %1',
  'list of %1',
  'empty tuple',
  'empty list',
  'empty dict',
  'committed to %1',
  // jaxviz/analysis/retraces/cache_keys.py, jaxviz/capture/events/known_calls.py
  'weak',
  'not weak',
  '%1 taken as %2',
  // jaxviz/tools/timeit/text.py
  'It fails without jit, so there is nothing to compare.',
  'With jit and without it takes about as long: the quartiles of both overlap.',
  'With jit it takes %1 × as long as op by op.',
  'Op by op takes %1 × as long as with jit. To trace, lower and compile pays off after about %2 call.',
  'Op by op takes %1 × as long as with jit. To trace, lower and compile pays off after about %2 calls.',
  // jaxviz/capture/stages/lowering.py, compiling.py, jaxviz/display/known.py
  'waiting',
  'lowering',
  'reading the module',
  'compiling',
  'compiling in another process',
  'reading the executable',
  'reading the program',
  'reading the passes',
  'comparing',
  // jaxviz/capture/jaxprs/structure.py
  'This version of JAX does not say as others do which operands its loops carry: they are drawn without their carry.',
  // jaxviz/analysis/cost/costed.py
  'Flops and bytes are those of all devices together. Optimized HLO has those of one device.',
  // jaxviz/capture/failure/attempt.py
  'This call cannot be evaluated any more (%1): run the cell again.',
  // jaxviz/tools/nan/capture/__init__.py
  'scan, index %1',
  'while, iteration %1',
  'cond, branch %1',
  // jaxviz/tools/passes, jaxviz/stages.py, jax_objects.py, lowering.py
  'XLA wrote this down while it compiled the program once more, with each op named after its eqn.',
  "XLA's passes can not be told any more: the program was saved, is of a log, or closes over more than 64 KiB, which go once all stages are made. Capture the call again with jaxviz.inspect, and ask for the passes first.",
  "XLA's passes are told of a program with its jaxpr, which a Lowered does not hold. Give jaxviz.inspect the function, or f.trace(…).",
  "XLA's passes are told of programs that are compiled in this process, and devices of this program's mesh are not here. The other stages can be looked at as ever.",
  // jaxviz/capture/stages/hlo/__init__.py
  'This was compiled again, with each op named after its eqn: it has the same instructions, but is not the very executable that a call runs.',
  'Each of %1 devices runs this: shapes and costs are those of its own part.',
  // jaxviz/session/log.py, jaxviz/session/session.py
  'With this version of NumPy programs are shown only as long as JAX holds them.',
  // jaxviz/session/job_log.py, gather.py
  "Each process's times are by the clock of its host. The time spent on compiling is that of the process where it was longest.",
  'Process %1 told nothing within %2 s.',
  'Processes %1 and %2 told nothing within %3 s.',
  // jaxviz/tools/job/agree.py
  'the jaxprs are equal, and lowered to different StableHLO',
  'their jaxprs differ',
  'the function is %1, not %2',
  "Calls that JAX's caches knew cannot be counted on this version of JAX.",
  "Not all calls that JAX's caches knew were counted: jax_debug_nans or jax_debug_infs was changed meanwhile, or JAX's own tests were imported, which take the same places in JAX.",
  'Calls of functions with effects, such as printing, are not counted: this version of JAX does not tell of them.',
  'This version of JAX is newer than jaxviz knows: some reasons are missing, and some traces within others.',
  "JAX's cache holds so many traces that those within others are not told apart: jax.clear_caches() empties it.",
  // jaxviz/display/fit.py
  "To keep the notebook small, the program's other stages are not saved: run the cell again to see all.",
  "To keep the notebook small, the program's text and params are not saved: run the cell again to see all.",
  "To keep the notebook small, the program's other stages, text and params are not saved: run the cell again to see all.",
  "To keep the notebook small, the program's text, params and nested bodies are not saved: run the cell again to see all.",
  "To keep the notebook small, the program's other stages, text, params and nested bodies are not saved: run the cell again to see all.",
  'To keep the notebook small, only an overview of its %1 eqns is saved: run the cell again to see all.',
  // jaxviz/display/page_requests.py
  'The kernel no longer holds what this is made from: run the cell again, and then open it.',
  // jaxviz/display/known.py, bundle.py and jaxviz/capture/failure/attempt.py, kept_call.py
  'The function that failed is gone: run the cell again.',
  'An argument of the call is gone: run the cell again.',
  'It could not be traced (%1).',
  'The program is too large to be shown here.',
  // jaxviz/capture/tracing/steps.py, kept_function.py, known_calls.py and jaxviz/display/stepped.py
  'The function is gone: run the cell again, or write --steps after %jaxviz.',
  'jaxviz does not know how to trace this once more: write --steps after %jaxviz.',
  'No line of yours runs when this is traced, so it has no steps; where JAX has traced it before, run jax.clear_caches() first.',
  '%1 was traced before: none of its Python runs here.',
  '%1 was traced before, as %2: none of its Python runs here.',
  'The function has more than 10,000 steps: these are the first.',
  "A debugger or a coverage tool was listening to Python's lines. It heard none of these, and listens again.",
  'These are the first %1 of %2 steps.',
  // jaxviz/capture/jaxprs/constants.py
  'An array of %1 MiB (%2) that the function closed over is gone, as jaxviz keeps only %3 MiB of them: capture the call again with jaxviz.inspect(f, keep=True), or keep f and open this stage before f goes.',
  'Stopped.',
  // jaxviz/analysis/collectives/causes.py
  'dimension %1 of %2 is split along %3: each device reduces %4 of %5, and their results are combined',
  'dimension %1 of %2 is split along %3: each device reduces %4 of %5, and their results are combined (one of %6 values that are sent at once)',
  'dimension %1 of %2 is split along %3: each device reduces %4 of %5, and their results are combined in %6 steps, of which this is number %7',
  'dimensions %1 of %2 are together split along %3: each device reduces %4 of %5 places, and their results are combined',
  'dimensions %1 of %2 are together split along %3: each device reduces %4 of %5 places, and their results are combined in %6 steps, of which this is number %7',
  'dimensions %1 of %2 are together split along %3: each device reduces %4 of %5 places, and their results are combined (one of %6 values that are sent at once)',
  'dimension %1 of %2 is split along %3 before this, and whole on each device after it',
  'dimension %1 of %2 is split along %3 before this, and whole on each device after it (a slice of it at a time)',
  'dimension %1 of %2 is split along %3 before this, and dimension %4 after it',
  'dimension %1 of %2 is split along %3: each device sends %4 of its %5 places to the next',
  'dimension %1 of %2 is split along %3: each device sends %4 of its %5 places to the previous',
  // jaxviz/analysis/links/inserted.py
  'a cast, as XLA computes in %1 here what the program has in %2',
  'a cast, as XLA computes %1 of %2 in %3 here',
  'a copy into the layout that is needed next',
  'a copy, so that nothing is overwritten that is still needed',
  "a move of values between devices, as XLA's partitioner has chosen",
  // jaxviz/capture/statistics, jaxviz/capture/rerun/held_run.py
  'No operation of this part makes floating-point numbers.',
  'This part makes %1 arrays, and at most %2 are told of at once, as each takes long to compile: choose a smaller part within it.',
  'The arrays that it ran with are gone: they were replaced, deleted or donated since, and jaxviz holds at most %1 MiB of them. Run the cell again.',
  // jaxviz/stages.py, jaxviz/capture/given/jax_objects.py, compiling.py, lowering.py
  "The devices of this program's mesh are not here: it was compiled for %1 devices of the CPU, by another process. Which ops are fused, how values lie in memory and which exchanges there are is what XLA chose for the CPU, and may be otherwise on another platform.",
  "The devices of this program's mesh are not here: it was lowered for %1, the platform of this process.",
  'It was lowered for %1, as you asked.',
  'This was compiled for the CPU by another process, because compiling it could end the kernel.',
  'Nobody waited for it any more, so its making was ended: ask again.',
  'No flops and bytes are known: a part of it runs on each of several devices, and only the jaxpr says on how many.',
  'This was compiled from your Lowered for this view: it has the same instructions, but is not the very executable that lowered.compile() gives.',
);

/** Each sentence, and how it is found: of several that fit, the one that says most. */
const KNOWN = [SENTENCES, REFUSALS]
  .flat()
  .map((sentence) => ({
    sentence,
    pattern: patternOf(sentence),
    said: sentence.replace(/%\d/g, '').length,
  }))
  .sort((one, other) => other.said - one.said);

/** A sentence of the kernel in the page's language; an unknown sentence stays as it is. */
export function inPageLanguage(sentence: string): string {
  for (const { pattern, sentence: english } of KNOWN) {
    const found = pattern.exec(sentence);
    if (found) return translate(english, ...found.slice(1));
  }
  return sentence;
}
