/** The bar above a stage: what the program is, its tabs, and the tools. */
import type { ComponentChildren, Ref } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { allEqns } from '../facts/eqn-count';
import { fixedText, shortSignature, signature } from '../facts/types';
import { __, _n } from '../language';
import type { Shown } from '../render/shown-picture';
import type { Program, Stage } from '../schema';
import type { Action, ViewState } from '../state/view-state';
import { countRule, eqnsText } from '../words/fact-parts';
import { fromKernel } from '../words/kernel-words';
import { Export, onExport } from './export-menu';
import { Find } from './find-box';

interface Props {
  program: Program;
  /** The stage that is shown; null where several are, or none. */
  stage: Stage | null;
  /** One sentence on what was left out of the program when it was saved; null if nothing was. */
  partial: string | null;
  tabs: ComponentChildren;
  /** Null where the stage could not be made, so that there is nothing to find or fold. */
  tools: Tools | null;
}

interface Tools {
  state: ViewState;
  dispatch: (action: Action) => void;
  input: Ref<HTMLInputElement>;
  fit: () => void;
  shown: () => Shown | null;
  outline: boolean;
  showOutline: (shown: boolean) => void;
  help: () => void;
}

/** The most characters of a signature in a wide bar. */
const LONGEST_SIGNATURE = 90;

export function Bar({ program, stage, partial, tabs, tools }: Props) {
  const fixed = fixedText(program);
  return (
    <header class="jxv-bar">
      <span class="jxv-name" title={program.name}>
        {program.name}
      </span>
      <span class="jxv-signature" title={signature(program)}>
        {shortSignature(program, LONGEST_SIGNATURE)}
      </span>
      {fixed && (
        <span class="jxv-fixed" title={fixed}>
          {fixed}
        </span>
      )}
      {tabs}
      {stage && !program.compared && (
        <span class="jxv-counts" title={partial === null ? countRule(stage) : fromKernel(partial)}>
          {partial === null ? countsOf(stage) : __('saved in part')}
        </span>
      )}
      {tools && stage && (
        <Controls {...tools}>
          <Export
            {...{ program, stage, partial }}
            selected={tools.state.selected}
            shown={tools.shown}
          />
        </Controls>
      )}
    </header>
  );
}

type ControlsProps = Tools & { children: ComponentChildren };

function Controls({ children, ...tools }: ControlsProps) {
  const { state, dispatch, input } = tools;
  const { past, future } = state.history;
  const travel = (by: 1 | -1) => dispatch({ type: 'travel', by });
  return (
    <div class="jxv-controls">
      <div class="jxv-buttons">
        <Arrow text="←" name={__('Back')} keys="Alt+←" to={past.length} go={() => travel(-1)} />
        <Arrow text="→" name={__('Forward')} keys="Alt+→" to={future.length} go={() => travel(1)} />
      </div>
      <Find state={state} dispatch={dispatch} input={input} />
      <MoreButtons>
        <Folding {...tools} />
        {children}
        <button
          type="button"
          class="jxv-button"
          title={__('What the keys do ( ? )')}
          onClick={tools.help}
        >
          {__('Keys')}
        </button>
      </MoreButtons>
    </div>
  );
}

interface ArrowProps {
  text: string;
  name: string;
  keys: string;
  /** How many places lie in that direction. */
  to: number;
  go: () => void;
}

function Arrow({ text, name, keys, to, go }: ArrowProps) {
  return (
    <button
      type="button"
      class="jxv-button jxv-small"
      aria-label={name}
      title={`${name} ( ${keys} )`}
      aria-disabled={to === 0}
      onClick={go}
    >
      {text}
    </button>
  );
}

function Folding({ dispatch, fit, outline, showOutline }: Tools) {
  return (
    <>
      <button type="button" class="jxv-button" title={__('Show the whole graph')} onClick={fit}>
        {__('Fit')}
      </button>
      <button type="button" class="jxv-button" onClick={() => dispatch({ type: 'expand' })}>
        {__('Expand all')}
      </button>
      <button type="button" class="jxv-button" onClick={() => dispatch({ type: 'collapse' })}>
        {__('Collapse all')}
      </button>
      <button
        type="button"
        class="jxv-button"
        aria-pressed={outline}
        onClick={() => showOutline(!outline)}
      >
        {__('Outline')}
      </button>
    </>
  );
}

/** `712 eqns · 31 nested graphs`. */
function countsOf(stage: Stage): string {
  const nested = stage.graphs.length - 1;
  const inner = nested > 0 ? [_n('%1 nested graph', '%1 nested graphs', nested)] : [];
  return [eqnsText(stage, allEqns(stage)), ...inner].join(' · ');
}

/** Buttons in a row; in a narrow bar behind one button, as the stylesheet decides. */
function MoreButtons({ children }: { children: ComponentChildren }) {
  const [shown, show] = useState(false);
  const element = useRef<HTMLDivElement>(null);
  const toggle = useRef<HTMLButtonElement>(null);
  useEffect(() => onExport(element.current, () => show(true)), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !shown) return;
    event.stopPropagation();
    show(false);
    toggle.current?.focus({ preventScroll: true });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key is that of the buttons within
    <div
      class={`jxv-rest${shown ? ' jxv-shown' : ''}`}
      ref={element}
      onKeyDown={onKeyDown}
      onFocusOut={({ relatedTarget }) => {
        if (!element.current?.contains(relatedTarget as Node | null)) show(false);
      }}
    >
      <button
        ref={toggle}
        type="button"
        class="jxv-button jxv-small jxv-rest-toggle"
        aria-label={__('More')}
        aria-expanded={shown}
        onClick={() => show(!shown)}
      >
        ⋯
      </button>
      <div class="jxv-buttons">{children}</div>
    </div>
  );
}
