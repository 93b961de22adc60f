import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { type Members, object, objects, readMembers, text, texts } from './members.js';
import { type ModelMetadata, writeMetadata } from './metadata.js';

/** What to start. Every member is optional. */
export interface ServerSettings {
  /** Domain of the relying party. Default: `localhost`, for pages of any port of `http://localhost`. */
  readonly domain?: string;
  /** Allowed origins besides `https://DOMAIN`. */
  readonly origins?: readonly string[];
  /** Policy of the relying party, as in the server's docs/trust.md. */
  readonly policy?: object;
  /** Models that the server knows from FIDO metadata. */
  readonly models?: readonly ModelMetadata[];
  /** Further options, as on the command line: `['--registration', 'ticket']`. */
  readonly args?: readonly string[];
  /** File of the program (`dist/main.js`). Default: the package `servicefido` that the current project has installed. */
  readonly program?: string;
}

/** A running server with a database of its own. */
export interface RunningServer {
  /** Address, for example `http://localhost:41523`. */
  readonly url: string;
  /** Domain of the relying party. */
  readonly domain: string;
  /** Secret of an application key with every permission for relying parties. */
  readonly key: string;
  /** Password of the account `admin`. */
  readonly adminPassword: string;
  /** Ends the server and removes its data. It also ends with the process that started it. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

const SETTINGS: Members<ServerSettings> = {
  domain: text,
  origins: texts,
  policy: object,
  models: objects,
  args: texts,
  program: text,
};

const SCOPES = [
  'ceremonies',
  'second-factor',
  'users:read',
  'users:write',
  'tickets',
  'events:read',
  'policy:write',
  'audit:read',
];

/**
 * Starts a server of the installed program on a free port, with an empty SQLite database.
 *
 * @throws TypeError if a setting is unknown or wrong; Error with the server's message if it does not start
 */
export async function startServer(settings: ServerSettings = {}): Promise<RunningServer> {
  const { domain = 'localhost', policy, ...rest } = readMembers(settings, SETTINGS);
  const adminPassword = randomBytes(18).toString('base64url');
  const child = spawnServer(domain, rest, adminPassword);
  const stop = () => stopServer(child);
  try {
    const url = await readyAddress(child);
    const administer = administration(url, adminPassword);
    const { secret } = await administer('POST', '/tenantapi/keys', {
      name: 'tests',
      tenant: 'default',
      scopes: SCOPES,
    });
    if (policy) {
      const path = `/tenantapi/tenants/default/relying-parties/${domain}`;
      await administer('PATCH', path, { policy });
    }
    // From here on a test that forgets to stop the server ends all the same, and the server with it.
    letGo(child);
    return { url, domain, key: String(secret), adminPassword, stop, [Symbol.asyncDispose]: stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function spawnServer(
  domain: string,
  { origins = [], models, args = [], program }: Omit<ServerSettings, 'domain' | 'policy'>,
  adminPassword: string,
): ChildProcess {
  const main = program ?? installedProgram();
  const data = mkdtempSync(join(tmpdir(), 'servicefido-testing-'));
  const ending = new URL(`./end-with-parent.js?${encodeURIComponent(data)}`, import.meta.url);
  return spawn(
    process.execPath,
    [
      ...['--import', ending.href, main, '--port', '0', '--data', data, '--domain', domain],
      ...origins.flatMap((origin) => ['--origin', origin]),
      ...(models ? metadataOptions(data, models) : []),
      ...args,
    ],
    { env: { ...cleanEnvironment(), SERVICEFIDO_ADMIN_PASSWORD: adminPassword }, stdio: 'pipe' },
  );
}

/** @throws Error if the current project has not installed the program */
function installedProgram(): string {
  try {
    return createRequire(join(process.cwd(), 'package.json')).resolve('servicefido/dist/main.js');
  } catch {
    throw new Error(
      'The package "servicefido" is not installed in this project. Install it, or name its dist/main.js in "program".',
    );
  }
}

/** Test runners set NODE_OPTIONS for themselves, and SERVICEFIDO_… are options of another server. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:SERVICEFIDO_|NODE_OPTIONS$)/.test(name)),
  );
}

function metadataOptions(folder: string, models: readonly ModelMetadata[]): string[] {
  const { blob, root } = writeMetadata(models);
  const files = { blob: join(folder, 'metadata.jwt'), root: join(folder, 'metadata-root.pem') };
  writeFileSync(files.blob, blob);
  writeFileSync(files.root, root);
  return ['--mds', files.blob, '--mds-roots', files.root];
}

/** Waits until the server is ready. @throws Error with its messages if it ends before */
async function readyAddress(child: ChildProcess): Promise<string> {
  let output = '';
  let messages = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (messages += text));
  return new Promise((resolve, reject) => {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const url = /ready at (\S+)/.exec(output)?.[1];
      if (url !== undefined) resolve(url);
    });
    child.once('error', reject);
    child.once('close', () => reject(new Error(`The server did not start: ${messages}`)));
  });
}

/** @returns a function that makes calls as the account `admin`, and throws Error with the message of a refusal */
function administration(url: string, password: string) {
  const authorization = `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
  return async (method: 'POST' | 'PATCH', path: string, body: object) => {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const json = (await answer.json()) as Readonly<Record<string, unknown>>;
    if (!answer.ok) throw new Error(`${method} ${path}: ${String(json['errorMessage'])}`);
    return json;
  };
}

/** The server neither keeps this process running from now on, nor waits because nobody reads its log. */
function letGo(child: ChildProcess): void {
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr] as (Socket | null)[]) {
    stream?.removeAllListeners('data').resume();
    stream?.unref();
  }
}

async function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const closed = once(child, 'close');
  child.stdin?.end();
  await closed;
}
