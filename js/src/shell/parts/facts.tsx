/** A list of facts: names with values. */
import { type ComponentChildren, Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { type Fact, link, type Part } from '../../words/fact-parts';

interface FactsProps {
  facts: readonly Fact[];
  go: (id: string) => void;
  about?: ReadonlyMap<string, string> | undefined;
  children?: ComponentChildren;
}

/** A list of facts. `about` has explanations below the facts, by name. */
export function Facts({ facts, go, about, children }: FactsProps) {
  return (
    <dl class="jxv-facts">
      {children}
      <Each {...{ facts, go, about }} />
    </dl>
  );
}

export function Each({ facts, go, about }: Pick<FactsProps, 'facts' | 'go' | 'about'>) {
  return (
    <>
      {facts.map((fact, index) =>
        fact.more ? (
          <MoreFacts key={index} {...{ fact, go, about }} more={fact.more} />
        ) : (
          <div class="jxv-fact" key={index}>
            <dt title={fact.name}>{fact.name}</dt>
            <dd>
              <span class="jxv-value">
                <Pieces parts={fact.value} go={go} />
              </span>
              {about?.has(fact.name) && <p class="jxv-about">{about.get(fact.name)}</p>}
            </dd>
          </div>
        ),
      )}
    </>
  );
}

interface MoreProps extends Pick<FactsProps, 'go' | 'about'> {
  fact: Fact;
  more: readonly Fact[];
}

/** Facts that are shown on request. */
function MoreFacts({ fact: { name, value }, more, go, about }: MoreProps) {
  const [isOpen, setOpen] = useState(false);
  if (isOpen) return <Each facts={more} {...{ go, about }} />;
  return (
    <div class="jxv-fact">
      <dt aria-hidden="true">{name}</dt>
      <dd>
        <button type="button" class="jxv-link" onClick={() => setOpen(true)}>
          {value.map(({ text }) => text).join(' ')}
        </button>
      </dd>
    </div>
  );
}

function Pieces({ parts, go }: { parts: readonly Part[]; go: (id: string) => void }) {
  return (
    <>
      {parts.map((part, index) => (
        <Fragment key={index}>
          {index > 0 && ' '}
          <Piece part={part} go={go} />
        </Fragment>
      ))}
    </>
  );
}

function Piece({ part, go }: { part: Part; go: (id: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  if (part.kind === 'link' || part.kind === 'more') {
    if (isOpen && part.kind === 'more') return <Pieces parts={part.links.map(link)} go={go} />;
    const press = () => (part.kind === 'link' ? go(part.id) : setOpen(true));
    return (
      <button type="button" class="jxv-link" onClick={press}>
        {part.text}
      </button>
    );
  }
  if (part.kind === 'code') return <code>{part.text}</code>;
  if (part.kind === 'before') return <del class="jxv-was">{part.text}</del>;
  if (part.kind === 'after') return <ins class="jxv-now">{part.text}</ins>;
  return <span class={part.kind === 'badge' ? 'jxv-badge' : 'jxv-words'}>{part.text}</span>;
}
