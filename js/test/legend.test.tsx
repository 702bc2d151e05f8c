import { render } from 'preact';
import { useReducer } from 'preact/hooks';
import { act } from 'preact/test-utils';
import { describe, expect, test } from 'vitest';
import { start, update, type ViewState } from '../src/state/view-state';
import { Drawn } from './drawn';
import { stageOf } from './fixtures';
import { chooseOpen, entries } from './menus';
import { all, click, host, one, texts } from './page';

function Lesson() {
  const closed: ViewState = { ...start(stageOf('lesson')), open: new Set() };
  const [state, dispatch] = useReducer(update, closed);
  return <Drawn {...{ state, dispatch }} />;
}

const show = () => act(() => render(<Lesson />, host));
const open = () => click(one('[aria-haspopup]'));

describe('the legend', () => {
  test('shows the classes that are there; its menu their counts', () => {
    show();
    expect(texts('.jxv-legend li button')).toEqual(['elementwise', 'reduction']);
    open();
    expect(entries('menuitemcheckbox')).toEqual(['elementwise3', 'reduction1']);
  });

  test('is of what the switch says, and the menu stays to show it', () => {
    show();
    open();
    expect(entries('menuitemradio')).toEqual(['op family', 'dtype', 'scope', 'flops', 'bytes']);
    chooseOpen('dtype');
    expect(entries('menuitemcheckbox')).toEqual(['f324']);
  });

  test('keeps one class bright at a time, and says which', () => {
    show();
    const classes = () => all('.jxv-legend li button');
    const pressed = () => classes().map((one) => one.getAttribute('aria-pressed'));
    expect(pressed()).toEqual(['false', 'false']);
    click(classes()[1]);
    expect(pressed()).toEqual(['false', 'true']);
    click(classes()[0]);
    expect(pressed()).toEqual(['true', 'false']);
    click(classes()[0]);
    expect(pressed()).toEqual(['false', 'false']);
  });
});
