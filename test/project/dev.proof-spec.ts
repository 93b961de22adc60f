import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { eventually } from '../support/eventually.js';
import { ProjectCopy } from '../support/project-copy.js';

const FILES = ['package.json', 'package-lock.json', 'nest-cli.json', 'tsconfig.json'];
const MORE = ['tsconfig.build.json', 'src', 'packages', 'views', 'config', 'scripts'];
/** A whole compilation, on a busy machine. */
const COMPILED_MS = 240_000;

describe('npm run dev', () => {
  let project: ProjectCopy;
  let dev: ChildProcess;
  let output = '';
  beforeEach(() => {
    project = new ProjectCopy([...FILES, ...MORE]);
    project.linkPackages();
    const options = ['--port', '0', '--data', project.path('data')];
    dev = spawn(process.execPath, [project.path('scripts/dev.mjs'), ...options]);
    for (const stream of [dev.stdout, dev.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
  });
  afterEach(async () => {
    await stop();
    project.remove();
  });

  it('npm run dev serves the current build until it is stopped', async () => {
    const first = await started(1);
    const sdk = () => fetch(`${first}/sdk/servicefido.js`);
    await eventually(async () => expect((await sdk()).status).toBe(200), COMPILED_MS);
    appendFileSync(project.path('src/main.ts'), '\nexport {};\n');
    const second = await started(2);
    expect((await fetch(`${second}/health/live`)).status).toBe(200);
    const before = output.split('Found 0 errors').length;
    appendFileSync(project.path('src/main.ts'), '\nexport {};\n');
    await compiled(before);
    await stop();
    await expect(fetch(`${second}/health/live`)).rejects.toThrow('fetch failed');
  }, 900_000);

  async function stop() {
    if (dev.exitCode !== null || dev.signalCode !== null) return;
    const ended = once(dev, 'close');
    dev.kill('SIGTERM');
    await ended;
  }

  /** The address of the server's nth start. */
  function started(nth: number): Promise<string> {
    return eventually(() => {
      const url = [...output.matchAll(/ready at (http:\S+)/g)][nth - 1]?.[1];
      if (url === undefined) throw new Error(`It did not start ${nth} times: ${output}`);
      return url;
    }, COMPILED_MS);
  }

  /** Waits for the nth compilation: then one server ends, and the next one starts. */
  function compiled(nth: number) {
    return eventually(
      () => expect(output.split('Found 0 errors').length - 1).toBeGreaterThanOrEqual(nth),
      COMPILED_MS,
    );
  }
});
