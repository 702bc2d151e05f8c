/** The selection of a stage, which is one with that of the whole program. */
import { render } from 'preact';
import { act } from 'preact/test-utils';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Id } from '../src/facts/ids';
import type { Focus } from '../src/facts/linked/linked';
import { type Linking, useLinkedState } from '../src/stage/linked/linking';
import { type Action, start, type ViewState } from '../src/state/view-state';
import { stageOf } from './fixtures';
import { host } from './page';

const before = start(stageOf('lesson'));
const choose = vi.fn();
let state: ViewState;
let dispatch: (action: Action) => void;

function Held({ focus }: { focus: Focus | null }) {
  const none = { focus, links: null, choose } as Partial<Linking> as Linking;
  [state, dispatch] = useLinkedState(before, none);
  return null;
}

const show = (focus: Focus | null) => render(<Held focus={focus} />, host);
const of = (id: Id): Focus => ({ stage: 'jaxpr', id });
const select = (id: Id | null) => dispatch({ type: 'select', id });

beforeEach(() => {
  choose.mockClear();
  act(() => show(null));
});

test('is reported, and follows the selection elsewhere', () => {
  act(() => select('1'));
  expect(choose.mock.lastCall).toEqual([of('1')]);
  act(() => show(of('1')));
  act(() => show(of('2')));
  expect(state.selected).toBe('2');
  act(() => show({ stage: 'hlo', id: '0' }));
  expect(state.selected).toBeNull();
  expect(choose).toHaveBeenCalledTimes(1);
});

test('what comes back of it does not undo what was selected since', () => {
  act(() => select('1'));
  act(() => {
    select('2');
    show(of('1'));
  });
  expect(state.selected).toBe('2');
  expect(choose.mock.lastCall).toEqual([of('2')]);
});

test('so it is of a selection that was given up', () => {
  act(() => select('1'));
  act(() => show(of('1')));
  act(() => select(null));
  act(() => {
    select('2');
    show(null);
  });
  expect(state.selected).toBe('2');
  expect(choose.mock.lastCall).toEqual([of('2')]);
});
