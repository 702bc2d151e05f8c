/** A page that shows saved files without a kernel: one that is dropped or chosen, or that the page's address names.
 * Nothing is uploaded, and nothing in a file is run. */
import { h, render } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { __ } from '../../language';
import { mount, mountLog } from '../../shell';
import { askedFor, type Content, contentOf } from './sources';

/** Makes an element the viewer. Its `data-site` is the address of the site's root. */
export function viewer(element: HTMLElement): void {
  render(h(Viewer, { site: new URL(element.dataset.site ?? '.', location.href) }), element);
}

/** A file that was opened, or the sentence that says why it was not. */
type Opened = { number: number; name: string } & ({ content: Content } | { failure: string });

function Viewer({ site }: { site: URL }) {
  const [opened, open] = useOpened();
  const [over, setOver] = useState(false);
  useAddress(site, open);
  useDrops((file) => openFile(file, open), setOver);
  return (
    <>
      <div class="jxv-viewer-drop" data-over={over} data-opened={opened !== null}>
        <p>{__('Drop a .jaxviz.json or saved .html file on this page.')}</p>
        <FileButton choose={(file) => openFile(file, open)} />
        <p class="jxv-viewer-name" role="status">
          {opened && 'content' in opened ? __('Opened %1.', opened.name) : ''}
        </p>
      </div>
      <p class="jxv-viewer-failure" role="alert">
        {opened && 'failure' in opened
          ? __('%1 could not be opened. %2', opened.name, opened.failure)
          : ''}
      </p>
      {opened && 'content' in opened && <Shown key={opened.number} content={opened.content} />}
    </>
  );
}

type Open = (name: string, read: () => Content | Promise<Content>) => Promise<void>;

/** The file that was asked for last, once it is read, and a function that opens another. */
function useOpened(): [Opened | null, Open] {
  const [opened, set] = useState<Opened | null>(null);
  const latest = useRef(0);
  const open: Open = async (name, read) => {
    latest.current += 1;
    const number = latest.current;
    const found = await resultOf(read);
    if (number === latest.current) set({ number, name, ...found });
  };
  return [opened, open];
}

async function resultOf(
  read: () => Content | Promise<Content>,
): Promise<{ content: Content } | { failure: string }> {
  try {
    const content = await read();
    await ('log' in content ? content.log : content.program);
    return { content };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

const openFile = (file: File, open: Open): void =>
  void open(file.name, async () => contentOf(await file.text()));

/** Opens what the address asks for, now and whenever the part after `#` changes. */
function useAddress(site: URL, open: Open): void {
  useEffect(() => {
    const follow = () => {
      const asked = askedFor(new URL(location.href), site);
      if (asked) void open(asked.name, asked.read);
    };
    follow();
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
}

/** Opens files that are dropped anywhere on the page: the browser would leave the page for them. */
function useDrops(open: (file: File) => void, setOver: (over: boolean) => void): void {
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    const over = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      event.preventDefault();
      setOver(event.type === 'dragover');
      const [file] = event.dataTransfer.files;
      if (event.type === 'drop' && file) open(file);
    };
    document.addEventListener('dragover', over, { signal });
    document.addEventListener('drop', over, { signal });
    document.addEventListener('dragleave', () => setOver(false), { signal });
    return () => ending.abort();
  }, []);
}

function FileButton({ choose }: { choose: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const changed = () => {
    const [file] = input.current?.files ?? [];
    if (file) choose(file);
    if (input.current) input.current.value = ''; // the same file can be chosen again
  };
  return (
    <>
      <button type="button" class="jxv-viewer-choose" onClick={() => input.current?.click()}>
        {__('Choose a file')}
      </button>
      <input ref={input} type="file" accept=".json,.html" hidden onChange={changed} />
    </>
  );
}

function Shown({ content }: { content: Content }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const ending = new AbortController();
    const element = place.current as HTMLElement;
    const source = { kernel: null };
    if ('log' in content) mountLog(element, { ...source, ...content, strip: false }, ending.signal);
    else mount(element, { ...source, ...content, partial: null }, ending.signal);
    return () => ending.abort();
  }, []);
  return <div class="jxv-viewer-shown" ref={place} />;
}
