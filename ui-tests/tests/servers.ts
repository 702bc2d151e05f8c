/** Jupyter's servers in environments of their own, without jaxviz: kernels are elsewhere. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from '@playwright/test';
import { type Notebook, notebook } from './notebook';

/** The folder in which `make` puts an environment of JupyterLab and Notebook, kernels, and further
 * packages of servers. */
const SERVERS = resolve('../.servers');

/** Extensions of a server beside JupyterLab or Notebook. */
export type Extension = 'ipywidgets' | 'anywidget' | 'ours';

export class Server {
  readonly url: string;
  readonly #app: string;
  readonly #process: ChildProcess;

  private constructor(app: string, url: string, process: ChildProcess) {
    this.#app = app;
    this.url = url;
    this.#process = process;
  }

  /** Starts a server of JupyterLab (`lab`) or Notebook 7 (`notebook`), and waits until it answers. */
  static async start(app: string, extension: Extension | null): Promise<Server> {
    const port = await freePort();
    const searched = [`${SERVERS}/kernels`, ...(extension ? [`${SERVERS}/${extension}`] : [])];
    const process_ = spawn(
      `${SERVERS}/lab/bin/jupyter-${app}`,
      ['--config', 'jupyter_server_test_config.py', '--no-browser'],
      {
        env: {
          ...process.env,
          JAXVIZ_PORT: String(port),
          JUPYTER_PATH: searched.map((folder) => `${folder}/share/jupyter`).join(':'),
          JUPYTER_DATA_DIR: mkdtempSync(join(tmpdir(), 'jaxviz-data-')),
        },
        stdio: 'ignore',
      },
    );
    const server = new Server(app, `http://127.0.0.1:${port}`, process_);
    await server.#waitUntilReady();
    return server;
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill('SIGTERM');
    await ended;
  }

  /** Opens a notebook, and waits for its kernel. */
  async open(page: Page, name: string): Promise<void> {
    const path = this.#app === 'lab' ? `/lab/tree/${name}?reset` : `/notebooks/${name}`;
    await page.goto(this.url + path);
    await page.waitForFunction(() => {
      const panel = window.jupyterapp?.shell.currentWidget as unknown as { context?: unknown };
      return panel?.context;
    });
    await page.evaluate(async () => {
      const { context, sessionContext } = window.jupyterapp.shell.currentWidget as unknown as {
        context: { ready: Promise<void> };
        sessionContext: { ready: Promise<void> };
      };
      await context.ready;
      await sessionContext.ready;
    });
  }

  async put(name: string, content: Notebook): Promise<void> {
    await this.#send('PUT', `contents/${name}`, { type: 'notebook', format: 'json', content });
  }

  /** Writes a file. A notebook written so is untrusted. */
  async write(name: string, content: string): Promise<void> {
    await this.#send('PUT', `contents/${name}`, { type: 'file', format: 'text', content });
  }

  async saved(name: string): Promise<Notebook> {
    return (await (await fetch(`${this.url}/api/contents/${name}`)).json()).content;
  }

  /** Ends all kernels. A notebook that is opened later gets a new one. */
  async endKernels(): Promise<void> {
    const sessions = (await (await fetch(`${this.url}/api/sessions`)).json()) as { id: string }[];
    for (const { id } of sessions) await this.#send('DELETE', `sessions/${id}`);
  }

  async #send(method: string, path: string, body?: unknown): Promise<void> {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${this.url}/api/${path}`, {
      method,
      headers,
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`);
  }

  async #waitUntilReady(): Promise<void> {
    while (this.#process.exitCode === null) {
      const reply = await fetch(`${this.url}/api/status`).catch(() => null);
      if (reply?.ok) return;
      await new Promise((done) => setTimeout(done, 100));
    }
    throw new Error(`jupyter ${this.#app} did not start: run \`make .setup/servers\`.`);
  }
}

/** A notebook with these cells for a kernel of that name. */
export function ofKernel(name: string, sources: string[]): Notebook {
  const kernelspec = { name, display_name: name, language: 'python' };
  return { ...notebook(sources), metadata: { kernelspec } };
}

/** Saves the notebook in front. */
export function save(page: Page): Promise<void> {
  return page.evaluate(async () => {
    const { context } = window.jupyterapp.shell.currentWidget as unknown as {
      context: { save(): Promise<void> };
    };
    await context.save();
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
