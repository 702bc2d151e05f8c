/** The widget as a host gets it: one module, which holds the view in parts. What the first picture needs
 * is read at once, and all else when it is first shown. */

/** Each part of the view by its name, deflated, in base64. The name has a digest of what is in it. */
declare const PARTS: Readonly<Record<string, string>>;
/** The name of the part that begins, `widget.ts`. */
declare const FIRST: string;

interface Parts {
  held: Readonly<Record<string, string>>;
  addresses: Map<string, Promise<string>>;
  /** Reads a part. Each import that is not in a part's first lines is written as a call of this. */
  read: (name: string) => Promise<unknown>;
}

/** The parts of all our widgets on the page, so that each is read once, however many outputs there are. */
const page = globalThis as typeof globalThis & { jaxvizParts?: Parts };
page.jaxvizParts ??= {
  held: {},
  addresses: new Map(),
  read: async (name) => import(await addressOf(name)),
};
const parts = page.jaxvizParts;
parts.held = { ...parts.held, ...PARTS };

function addressOf(name: string): Promise<string> {
  const known = parts.addresses.get(name) ?? madeAddress(name);
  parts.addresses.set(name, known);
  return known;
}

/** Gives a part an address, after those that it imports. */
async function madeAddress(name: string): Promise<string> {
  const bytes = Uint8Array.from(atob(parts.held[name] as string), (char) => char.charCodeAt(0));
  const deflated = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  const pieces = (await new Response(deflated).text()).split(/"\.\/([\w-]+)\.js"/);
  const linked = await Promise.all(
    pieces.map(async (piece, at) => (at % 2 ? `"${await addressOf(piece)}"` : piece)),
  );
  return URL.createObjectURL(new Blob([linked.join('')], { type: 'text/javascript' }));
}

const view = parts.read(FIRST) as Promise<typeof import('./widget')>;

type Widget = typeof import('./widget').default;
type Attend = typeof import('./widget').attend;
type Upgraded = typeof import('./widget').upgraded;
type SpeakAs = typeof import('./widget').speakAs;

export const upgraded = async (...data: Parameters<Upgraded>) => (await view).upgraded(...data);
export const speakAs = async (...page: Parameters<SpeakAs>) => (await view).speakAs(...page);
export const attend = async (...page: Parameters<Attend>) => (await view).attend(...page);
export default {
  render: async (...shown: Parameters<Widget['render']>) => (await view).default.render(...shown),
};
