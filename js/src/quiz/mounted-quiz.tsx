/** A question in a host. The reader chooses or types an answer, and the page compares it: no kernel is
 * needed. `jaxviz/lessons/quizzes.py` compares in the same way. */
import { useState } from 'preact/hooks';
import { __ } from '../language';
import type { Quiz, QuizAnswer } from '../schema';
import { LoadingOrFailure, useArrival } from '../shell/parts/arrival';
import { Choice } from '../shell/parts/controls';
import { withCode } from '../shell/parts/help-page';
import { Root } from '../shell/parts/root';

export function MountedQuiz({ quiz }: { quiz: Promise<Quiz> }) {
  const arrival = useArrival(quiz, 'question');
  return (
    <Root label={__('Question')} role="group">
      {arrival === null || 'failure' in arrival ? (
        <LoadingOrFailure arrival={arrival} what="question" />
      ) : (
        <Asked quiz={arrival.value} />
      )}
    </Root>
  );
}

/** An answer of the reader, and the verdict on it. */
interface Judged {
  mark: '✓' | '✗' | '…';
  text: string;
}

function Asked({ quiz }: { quiz: Quiz }) {
  const { language, question, kind } = quiz;
  const [given, give] = useState(quiz.given);
  const judged = judge(quiz, given);
  return (
    <div class="jxv-quiz" lang={language}>
      <p class="jxv-quiz-question">{withCode(question)}</p>
      {kind === 'choice' && <Choices {...{ quiz, given, give }} />}
      {(kind === 'number' || kind === 'text') && <Typed {...{ quiz, given, give }} />}
      {kind === 'value' && given !== null && <code>{given}</code>}
      <div role="status">
        {judged && (
          <p class={`jxv-quiz-verdict${LOOKS[judged.mark]}`}>
            <b>{judged.mark}</b> <span>{withCode(judged.text)}</span>
          </p>
        )}
      </div>
    </div>
  );
}

const LOOKS = { '✓': ' jxv-quiz-right', '✗': ' jxv-quiz-wrong', '…': '' } as const;

interface AnswerProps {
  quiz: Quiz;
  given: string | null;
  give: (answer: string | null) => void;
}

function Choices({ quiz: { question, answers }, given, give }: AnswerProps) {
  const options = answers.map(({ text }) => ({ value: text, label: withCode(text) }));
  return <Choice label={question} options={options} chosen={given} choose={give} isLoose />;
}

/** A field for a number or a short text. Typing takes the verdict on the last answer away. */
function Typed({ quiz: { kind, question }, given, give }: AnswerProps) {
  const [typed, type] = useState(given ?? '');
  const send = () => typed.trim() !== '' && give(typed);
  return (
    // No form: JupyterLab takes Enter from it.
    <div class="jxv-quiz-typed">
      <input
        type="text"
        inputMode={kind === 'number' ? 'decimal' : 'text'}
        maxLength={200}
        autocomplete="off"
        aria-label={question.replaceAll('`', '')}
        placeholder={kind === 'number' ? __('a number') : __('your answer')}
        value={typed}
        onInput={({ currentTarget }) => {
          type(currentTarget.value);
          give(null);
        }}
        onKeyDown={({ key, isComposing }) => {
          if (key === 'Enter' && !isComposing) send();
        }}
      />
      <button type="button" onClick={send}>
        {__('Check')}
      </button>
    </div>
  );
}

/** The verdict on an answer. Null if there is none to judge. */
export function judge(quiz: Quiz, given: string | null): Judged | null {
  const { kind, answers, otherwise } = quiz;
  if (given === null) return kind === 'value' ? { mark: '…', text: otherwise } : null;
  if (kind === 'number' && numbersIn(given).length !== 1)
    return { mark: '…', text: __('Write one number, such as 3.') };
  const isEqual = ({ text }: QuizAnswer) => keyOf(text, kind) === keyOf(given, kind);
  const found = answers.find(({ text }) => text === given) ?? answers.find(isEqual);
  if (!found && kind === 'choice') return { mark: '…', text: __('Give one of the choices.') };
  if (!found) return { mark: '✗', text: otherwise };
  return { mark: found.right ? '✓' : '✗', text: found.because };
}

const numbersIn = (text: string): string[] =>
  text.normalize('NFKC').match(/[-−]?\d+(?:\.\d+)?/g) ?? [];

/** The text that two equal answers share: of `number` the one number in it, else the text without
 * blanks, quotes, brackets and case. Shapes may be written `3 x 4`. */
export function keyOf(text: string, kind: Quiz['kind']): string {
  const [number, ...others] = numbersIn(text);
  const isNumber = kind === 'number' && number !== undefined && others.length === 0;
  return (isNumber ? number : text.normalize('NFKC').toLowerCase())
    .replaceAll(/(?<=\d)(?:\s*[x×]\s*|\s+)(?=\d)/g, ',')
    .replaceAll(/[\s"'`“”‘’()[\]{}]/g, '')
    .replace(/[.,;!?]+$/, '')
    .replaceAll(/(?<=\d)\.0*(?=\D|$)/g, '');
}
