import { useMemo } from 'preact/hooks';
import { detailsOf } from '../../model/details';
import { type Fate, fatesOf, linesText, STAGE_NAMES } from '../../model/linked/fate';
import type { Linking } from './linking';

type Told = Pick<Linking, 'program' | 'focus' | 'links' | 'go'>;

/** What has become of a stage's selection in the others, or what it was made for. */
export function Fates({ linking }: { linking: Told }) {
  const { program, focus, links, go } = linking;
  const fates = useMemo(
    () => (focus && links ? fatesOf(program, focus, links) : []),
    [program, focus, links],
  );
  const names = [...new Set(fates.map(({ name }) => name))];
  return (
    <>
      {names.map((name) => (
        <div class="jxv-fact" key={name}>
          <dt>{name}</dt>
          <dd class="jxv-fates">
            {fates
              .filter((fate) => fate.name === name)
              .map((fate) => (
                <Value key={fate.stage} fate={fate} go={go} />
              ))}
          </dd>
        </div>
      ))}
    </>
  );
}

interface ValueProps {
  fate: Fate;
  go: (kind: string, id: string) => void;
}

function Value({ fate: { name, stage, words, links, rest, lines }, go }: ValueProps) {
  return (
    <span class="jxv-value">
      {(name === 'became' || name === 'came from') && (
        <span class="jxv-words">{STAGE_NAMES.get(stage)}:</span>
      )}
      {words !== '' && <span class="jxv-words">{words}</span>}
      {links.map(({ id, text }) => (
        <button type="button" class="jxv-link" key={id} onClick={() => go(stage, id)}>
          {text}
        </button>
      ))}
      {rest > 0 && <span class="jxv-words">and {rest.toLocaleString('en')} more</span>}
      {lines !== '' && <span class="jxv-words">on {lines}</span>}
    </span>
  );
}

/** What is lit in a stage by a selection elsewhere, and a way back to that. */
export function Lit({ linking, kind }: { linking: Linking; kind: string }) {
  const { program, focus, links, go } = linking;
  const fate = useMemo(
    () => focus && links && fatesOf(program, focus, links).find(({ stage }) => stage === kind),
    [program, focus, links, kind],
  );
  if (!focus || !fate) return null;
  const title = 'id' in focus ? titleOf(linking, focus) : linesText([focus.line]);
  return (
    <div class="jxv-headline">
      <span class="jxv-words">Lit for</span>
      {'id' in focus ? (
        <button type="button" class="jxv-link" onClick={() => go(focus.stage, focus.id)}>
          {STAGE_NAMES.get(focus.stage)} {title}
        </button>
      ) : (
        <span>{title}</span>
      )}
      <Value fate={{ ...fate, name: '', lines: '' }} go={go} />
    </div>
  );
}

function titleOf({ program }: Linking, focus: { stage: string; id: string }): string {
  const stage = program.stages.find(({ kind }) => kind === focus.stage);
  return (stage && detailsOf(stage, focus.id)?.title) ?? '';
}
