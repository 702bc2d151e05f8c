// What the page takes.
//
//   node bench/frames.mjs NAME WIRE ROUNDS STAGE
//
// Prints JSON, all in ms. In a Chromium whose frames wait for no screen: `first`, from the bytes in
// memory to the first frame with boxes in it; `again`, the same on a page that has shown it before; `warm`,
// on one that has shown it so often that V8 has compiled what it runs; `bare` and `bareAgain`, what the browser
// alone takes on such pages for the frame with a word and some shapes on a canvas;
// `open`, from Enter on a folded group to the first frame that shows it open; `step`, from an arrow key to
// the frame in which the next box is selected, which is what any frame takes here. In one with 60 frames a
// second, of a pan and of a zoom over the whole program, everything expanded: `pan` and `zoom`, how long a
// frame's script runs (median), and `panApart` and `zoomApart`, how far apart frames are (exceeded by 5 %).
// To compare, `parsed`: how long V8 takes to read the same program where it is JSON.
import { readFileSync } from 'node:fs';
import { expandAll, launch, median, openPage, painted } from './page.mjs';
import { fromSource } from './source.mjs';

const [name, file, rounds, stage] = process.argv.slice(2);
const SIZE = { width: 1100, height: 620 };
const FRAMES = 60;
/** Ms until the browser is done with a frame that was made. The next one waits for it, up to 16 ms, which is no
 * work of the page: whoever presses a key looked at the picture before. */
const REST = 200;
/** Number of times that a program is shown until V8 has compiled the code. */
const SHOWN = 15;
const UNHURRIED = ['--disable-frame-rate-limit', '--disable-gpu-vsync'];

/** Installed in the page before the widget: notes when the frame ends in which a canvas on the page
 * is drawn on. A task that is posted while a frame is made, before others in turn, runs once it is shown. */
function watch() {
  const { prototype } = CanvasRenderingContext2D;
  const SHAPES = 3;
  let strokes = 0;
  let waiting = null;
  for (const method of ['fill', 'stroke', 'fillRect', 'strokeRect', 'fillText', 'drawImage']) {
    const original = prototype[method];
    prototype[method] = function (...args) {
      if (waiting && this.canvas.isConnected && ++strokes === SHAPES) {
        const done = waiting;
        waiting = null;
        scheduler.postTask(() => done(performance.now()), { priority: 'user-blocking' });
      }
      return original.apply(this, args);
    };
  }
  globalThis.scriptTime = 0;
  const request = globalThis.requestAnimationFrame;
  globalThis.requestAnimationFrame = (callback) =>
    request((now) => {
      const start = performance.now();
      callback(now);
      globalThis.scriptTime += performance.now() - start;
    });
  globalThis.nextFrame = () => new Promise((next) => request(next));
  globalThis.nextPicture = () =>
    new Promise((done) => {
      strokes = 0;
      waiting = done;
    });
}

async function measured(wire) {
  const bare = [];
  const bareAgain = [];
  const first = [];
  const again = [];
  const open = [];
  const step = [];
  for (let round = 0; round < Number(rounds); round++) {
    await onPage(UNHURRIED, async (page) => {
      bare.push(await bareFrame(page));
      await rested(page);
      bareAgain.push(await bareFrame(page));
    });
    await onPage(UNHURRIED, async (page) => {
      first.push(await firstFrame(page, wire));
      await rested(page);
      const opened = await openGroup(page);
      if (opened !== null) open.push(opened);
      step.push(await toNextFrame(page, 'ArrowDown'));
      again.push(await firstFrame(page, wire));
    });
  }
  const frames = await onPage([], async (page) => {
    await firstFrame(page, wire);
    return frameTimes(page);
  });
  const warm = await onPage(UNHURRIED, (page) => warmFrames(page, wire));
  const browser = { bare, bareAgain, parsed: await parsed(wire) };
  const ofAll = { first, again, warm, open, step, ...browser };
  for (const [name, times] of Object.entries(ofAll)) frames[name] = median(times);
  return frames;
}

async function parsed(wire) {
  const { decode } = await fromSource('js/src/facts/wire/index.ts');
  const text = JSON.stringify(await decode(new Uint8Array(wire), 1e9));
  return Array.from({ length: Number(rounds) }, () => {
    const start = performance.now();
    JSON.parse(text);
    return performance.now() - start;
  });
}

async function onPage(args, run) {
  const browser = await launch(args);
  try {
    const { page, errors } = await openPage(browser, SIZE, watch);
    const result = await run(page);
    if (errors.length > 0) throw new Error(`${name}: ${errors[0]}`);
    return result;
  } finally {
    await browser.close();
  }
}

function firstFrame(page, wire) {
  return page.evaluate(
    async ([base64, stage]) => {
      const show = globalThis.prepare(base64, stage);
      const seen = globalThis.nextPicture();
      const start = performance.now();
      show();
      return (await seen) - start;
    },
    [wire.toString('base64'), stage],
  );
}

/** The same once V8 has compiled what it runs, some times. */
async function warmFrames(page, wire) {
  const taken = [];
  for (let shown = 0; shown < SHOWN; shown++) {
    taken.push(await firstFrame(page, wire));
    await rested(page);
  }
  return taken.slice(-SHOWN / 3);
}

/** Resolves after the frames that are due, once the browser is done with them. */
async function rested(page) {
  await painted(page);
  await page.waitForTimeout(REST);
}

/** The browser's own time for a frame with a word and three shapes. */
function bareFrame(page) {
  return page.evaluate(async () => {
    const seen = globalThis.nextPicture();
    const start = performance.now();
    const canvas = document.createElement('canvas');
    const view = document.getElementById('view');
    view.replaceChildren('jaxpr', canvas);
    requestAnimationFrame(() => {
      const ctx = canvas.getContext('2d');
      ctx.fillRect(9, 9, 90, 30);
      ctx.strokeRect(9, 9, 90, 30);
      ctx.fillText('mul', 20, 60);
    });
    const taken = (await seen) - start;
    view.replaceChildren();
    return taken;
  });
}

/** Goes along the boxes from the first one until one opens. Null where none does. */
async function openGroup(page) {
  await page.focus('.jxv canvas');
  for (let step = 0; step < 12; step++) {
    await page.keyboard.press('ArrowDown');
    await rested(page);
    const before = await boxes(page);
    const taken = await toNextFrame(page, 'Enter');
    if (taken !== null && (await boxes(page)) > before) return taken;
  }
  return null;
}

/** Ms from a key to the end of the next frame that is drawn; null where none is. */
async function toNextFrame(page, pressed) {
  const taken = await page.evaluate(async (key) => {
    const canvas = document.querySelector('.jxv canvas');
    const seen = globalThis.nextPicture();
    const start = performance.now();
    canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    const none = new Promise((done) => setTimeout(() => done(null), 500));
    const end = await Promise.race([seen, none]);
    return end === null ? null : end - start;
  }, pressed);
  await rested(page);
  return taken;
}

/** The number of boxes in the canvas's label. */
const boxes = (page) =>
  page.evaluate(() => {
    const label = document.querySelector('.jxv canvas').getAttribute('aria-label');
    return Number(/([\d,]+) box/.exec(label)[1].replaceAll(',', ''));
  });

async function frameTimes(page) {
  await expandAll(page);
  await page.focus('.jxv canvas');
  await page.keyboard.press('0');
  await rested(page);
  const [pan, zoom] = await page.evaluate(panAndZoom, FRAMES);
  return {
    boxes: await boxes(page),
    pan: median(pan.script),
    panApart: worst(pan.apart),
    zoom: median(zoom.script),
    zoomApart: worst(zoom.apart),
  };
}

/** Runs in the page: pans, then zooms, a step in each of `count` frames. */
async function panAndZoom(count) {
  const canvas = document.querySelector('.jxv canvas');
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const x = left + width / 2;
  const y = top + height / 2;
  const send = (Event, type, more) =>
    canvas.dispatchEvent(
      new Event(type, { bubbles: true, cancelable: true, clientX: x, clientY: y, ...more }),
    );
  canvas.setPointerCapture = () => {};
  const timed = async (act) => {
    const script = [];
    const apart = [];
    let last = await globalThis.nextFrame();
    for (let frame = 0; frame < count; frame++) {
      globalThis.scriptTime = 0;
      const start = performance.now();
      act(frame);
      const handled = performance.now() - start;
      const now = await globalThis.nextFrame();
      apart.push(now - last);
      script.push(handled + globalThis.scriptTime);
      last = now;
    }
    return { script, apart };
  };
  const finger = { pointerId: 1, button: 0, isPrimary: true };
  send(PointerEvent, 'pointerdown', finger);
  const pan = await timed((frame) =>
    send(PointerEvent, 'pointermove', { ...finger, clientX: x + 5 * frame, clientY: y + 3 * frame }),
  );
  send(PointerEvent, 'pointerup', finger);
  const zoom = await timed((frame) =>
    send(WheelEvent, 'wheel', { ctrlKey: true, deltaY: frame < count / 2 ? -10 : 10 }),
  );
  return [pan, zoom];
}

function worst(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)];
}

try {
  console.log(JSON.stringify(await measured(readFileSync(file))));
} catch (error) {
  console.log(JSON.stringify({ error: String(error.message ?? error).split('\n')[0] }));
}
