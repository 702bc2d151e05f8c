/** The widget as one module that contains the view in parts. The part for the first picture is read
 * at once, the others when they are first needed. */

/** Each part of the view by name, deflated, in base64. The name contains a digest of the content. */
declare const PARTS: Readonly<Record<string, string>>;
/** The name of the first part, `widget.ts`. */
declare const FIRST: string;

interface Parts {
  texts: Readonly<Record<string, string>>;
  addresses: Map<string, Promise<string>>;
  /** Imports a part. The build turns each dynamic `import()` into a call of this. */
  read: (name: string) => Promise<unknown>;
}

/** The parts of all our widgets on the page, so that each is read once for all outputs. */
const page = globalThis as typeof globalThis & { jaxvizParts?: Parts };
page.jaxvizParts ??= {
  texts: {},
  addresses: new Map(),
  read: async (name) => import(await addressOf(name)),
};
const parts = page.jaxvizParts;
parts.texts = { ...parts.texts, ...PARTS };

function addressOf(name: string): Promise<string> {
  const address = parts.addresses.get(name) ?? makeAddress(name);
  parts.addresses.set(name, address);
  return address;
}

/** Makes the address of a part, after those of the parts that it imports. */
async function makeAddress(name: string): Promise<string> {
  const bytes = Uint8Array.from(atob(parts.texts[name] as string), (char) => char.charCodeAt(0));
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
type Viewer = typeof import('./widget').viewer;

export const upgraded = async (...data: Parameters<Upgraded>) => (await view).upgraded(...data);
export const speakAs = async (...page: Parameters<SpeakAs>) => (await view).speakAs(...page);
export const viewer = async (...page: Parameters<Viewer>) => (await view).viewer(...page);
export const attend = async (...page: Parameters<Attend>) => (await view).attend(...page);
export default {
  render: async (...shown: Parameters<Widget['render']>) => (await view).default.render(...shown),
};
