import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../scripts/lib/services/programs.mjs';
import { projectPath } from '../../src/platform/project.js';
import { eventually } from './eventually.js';
import { createServerFile } from './server-database.js';
import { ADMIN } from './test-server.js';

export { freePort };

const MAIN = projectPath('dist/main.js');
const RUN_MS = 120_000;

/** The environment of this process without options of the server. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:SERVICEFIDO_|NODE_OPTIONS)/.test(name)),
  );
}

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built program with these arguments until it ends; one that hangs is killed. */
export async function runProgram(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...cleanEnvironment(), ...env },
    cwd: tmpdir(),
    timeout: RUN_MS,
    killSignal: 'SIGKILL',
  });
  const output = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output };
}

/** Runs the built program until it ends; the reader of its output, such as `head`, has left already. */
export async function runUnread(args: readonly string[]): Promise<Pick<Run, 'code' | 'stderr'>> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: cleanEnvironment(),
    cwd: tmpdir(),
    timeout: RUN_MS,
    killSignal: 'SIGKILL',
  });
  child.stdout.destroy();
  const output = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stderr: output.stderr };
}

function collect(child: ChildProcess) {
  const output = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  return output;
}

/** The built server in a separate process, on a free port, with its own directory. */
export class ServerProcess {
  readonly data = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  url = '';
  private child: ChildProcess | undefined;
  private output = { stdout: '', stderr: '' };

  /**
   * @param args further options; `--port 0` and the administrator's password are set
   * @param env further environment
   * @param main the program, if not the one that this project builds
   */
  constructor(
    private readonly args: readonly string[] = [],
    private readonly env: Readonly<Record<string, string>> = {},
    private readonly main = MAIN,
  ) {}

  /**
   * Starts, or starts again over the same data.
   *
   * @param descriptors how many files and connections the process may have open
   */
  async start(descriptors?: number): Promise<void> {
    await this.prepare();
    this.spawn(0, 'pipe', descriptors);
    this.url = await eventually(() => {
      const url = /ready at (http:\/\/localhost:\d+)/.exec(this.output.stdout)?.[1];
      const { stdout, stderr } = this.output;
      if (url === undefined) throw new Error(`The server did not start: ${stdout}${stderr}`);
      return url;
    });
  }

  /** Starts with a file for standard output, which is not read. */
  async startInto(file: string): Promise<void> {
    await this.prepare();
    const port = await freePort();
    const output = openSync(file, 'w');
    this.spawn(port, output);
    closeSync(output);
    this.url = `http://localhost:${port}`;
    await eventually(async () => (await fetch(`${this.url}/health/live`)).text());
  }

  /**
   * Running all migrations takes a third of a first start. Another program, or one with an environment, makes its own
   * database: a first start has duties of its own, such as the seal of the audit trail.
   */
  private async prepare(): Promise<void> {
    const isUsual = this.main === MAIN && Object.keys(this.env).length === 0;
    if (!isUsual || this.args.includes('--db')) return;
    await createServerFile(join(this.data, 'servicefido.sqlite'));
  }

  private spawn(port: number, stdout: 'pipe' | number, descriptors?: number): void {
    const options = ['--port', `${port}`, '--data', this.data, '--admin-password', ADMIN.hash];
    const limited = ['sh', '-c', `ulimit -n ${descriptors} && exec "$0" "$@"`, process.execPath];
    const [program = '', ...words] = descriptors === undefined ? [process.execPath] : limited;
    this.child = spawn(program, [...words, this.main, ...options, ...this.args], {
      env: { ...cleanEnvironment(), ...this.env },
      stdio: ['ignore', stdout, 'pipe'],
    });
    this.output = collect(this.child);
  }

  /** Reads no more of what the server says on standard output: the pipe fills up. */
  stopListening(): void {
    this.child?.stdout?.pause();
  }

  /** Sends a signal, and waits for nothing. */
  signal(signal: NodeJS.Signals): void {
    this.child?.kill(signal);
  }

  get pid(): number {
    return this.child?.pid ?? 0;
  }

  get stdout(): string {
    return this.output.stdout;
  }

  get stderr(): string {
    return this.output.stderr;
  }

  /** `null` while the process runs. */
  get exitCode(): number | null | undefined {
    return this.child?.exitCode;
  }

  async residentMiB(): Promise<number> {
    const metrics = await (await fetch(`${this.url}/metrics`)).text();
    const bytes = /^process_resident_memory_bytes (\S+)$/m.exec(metrics)?.[1];
    return Math.round(Number(bytes) / 1024 ** 2);
  }

  /** Sends the signal and waits for the end; returns the exit code (`null` if it was killed). */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) {
      return child?.exitCode ?? null;
    }
    const ended = once(child, 'close') as Promise<[number | null]>;
    child.kill(signal);
    const [code] = await ended;
    return code;
  }

  /** Ends the process in any state, and removes its directory. */
  async remove(): Promise<void> {
    await this.end('SIGKILL');
    rmSync(this.data, { recursive: true, force: true });
  }
}
