import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { text } from 'node:stream/consumers';
import { testRoot } from '../../packages/testing/src/attester.js';
import { Authenticator, type SignIn } from '../../packages/testing/src/authenticator.js';
import { readCreationOptions, readRequestOptions } from '../../packages/testing/src/options.js';
import { projectPath } from '../../src/platform/project.js';
import { Client } from '../support/client.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const ORIGIN = 'https://app.example';
/** Attestations with certificates, which a root can confirm. */
const CERTIFIED = [
  'packed',
  'compound',
  'fido-u2f',
  'android-key',
  'android-safetynet',
  'apple',
  'tpm',
] as const;

describe('Authenticator', () => {
  let server: TestServer;
  let client: FidoClient;
  beforeAll(async () => {
    server = await TestServer.start();
    await server.addRelyingParty('acme', {
      domain: 'app.example',
      policy: { userVerification: 'required' },
    });
    await server.addRelyingParty('acme', {
      domain: 'trust.example',
      policy: { trust: 'all', anchors: [testRoot()], formats: [...CERTIFIED] },
    });
    client = new FidoClient(server.url, { relyingParty: 'app.example', origin: ORIGIN });
  });
  afterAll(() => server.stop());

  it.each(CERTIFIED)('the server trusts the attestation %s under the test root', async (name) => {
    const backend = new Client(server.url, { 'x-servicefido-relyingparty': 'trust.example' });
    const authenticator = new Authenticator({ attestation: name });
    const user = { username: name, displayName: name, attestation: 'direct' };
    const begun = await backend.post('/fidoapi/register/begin', user);
    const options = readCreationOptions(begun.body);
    const body = authenticator.create(options, { origin: 'https://trust.example' });
    const { body: answer } = await backend.post('/fidoapi/register/complete', body);
    expect(answer).toMatchObject({ status: 'ok', attestation: { format: name } });
  });

  it.each<[string, string, Partial<SignIn>]>([
    ['with a lower counter', 'E0035R', { signCount: 1 }],
    ['without user verification', 'E0031R', { userVerified: false }],
    ['without the presence of the user', 'E0031R', { userPresent: false }],
    ['of a key that can suddenly be synced', 'E0031R', { backupEligible: true }],
    ['of a key that is synced although it cannot be', 'E0031R', { backedUp: true }],
    ['on a page of another origin', 'E0029R', { origin: 'https://evil.example' }],
    ['in a frame of another origin', 'E0029R', { clientData: { crossOrigin: true } }],
    ['for another relying party', 'E0030R', { rpId: 'evil.example' }],
    ['with another key', 'E0032R', { wrongKey: true }],
  ])('the server refuses a sign-in %s (%s)', async (title, code, page) => {
    const authenticator = new Authenticator();
    expect((await register(authenticator, title)).status).toBe(200);
    expect((await signIn(authenticator, title, {})).status).toBe(200);
    expectRefusal(await signIn(authenticator, title, page), code);
  });

  it('keys without a counter that can be synced sign in again and again', async () => {
    const authenticator = new Authenticator({
      hasCounter: false,
      backupEligible: true,
      backedUp: true,
    });
    expect((await register(authenticator, 'synced')).status).toBe(200);
    for (const backedUp of [false, true]) {
      const { body } = await signIn(authenticator, 'synced', { backedUp });
      expect(body).toMatchObject({ status: 'ok', signCount: 0 });
    }
  });

  it('rejects as browsers do if the options exclude its key, or allow none that it has', async () => {
    const authenticator = new Authenticator();
    await register(authenticator, 'twice');
    await expect(register(authenticator, 'twice')).rejects.toMatchObject({
      name: 'InvalidStateError',
    });
    await expect(signIn(new Authenticator(), 'twice', {})).rejects.toMatchObject({
      name: 'NotAllowedError',
    });
  });

  async function register(authenticator: Authenticator, username: string) {
    const begun = await client.beginRegistration(username, { attestation: 'direct' });
    const options = readCreationOptions(begun.body);
    return client.completeRegistration(authenticator.create(options, { origin: ORIGIN }));
  }

  async function signIn(authenticator: Authenticator, username: string, page: Partial<SignIn>) {
    const begun = await client.beginAuthentication(username);
    const options = readRequestOptions(begun.body);
    return client.completeAuthentication(authenticator.get(options, { origin: ORIGIN, ...page }));
  }
});

/** A process of `servicefido authenticator`. */
class Lines {
  readonly child: ChildProcess;
  readonly #answers;

  constructor() {
    this.child = spawn(process.execPath, [projectPath('dist/main.js'), 'authenticator'], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    if (!this.child.stdout) throw new Error('no output');
    this.#answers = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  async send(line: string): Promise<Readonly<Record<string, unknown>>> {
    this.child.stdin?.write(`${line}\n`);
    const { value } = await this.#answers.next();
    return JSON.parse(String(value)) as Record<string, unknown>;
  }

  async ask<Result>(name: string, members: object = {}): Promise<Result> {
    const { result, error } = await this.send(JSON.stringify({ do: name, ...members }));
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result as Result;
  }

  /** Closes its input. @returns the exit code */
  async end(): Promise<unknown> {
    const closed = once(this.child, 'close');
    this.child.stdin?.end();
    const [code] = await closed;
    return code;
  }
}

interface Started {
  readonly url: string;
  readonly key: string;
}

const OPTIONS = {
  challenge: 'AAAA',
  rp: { id: 'app.example' },
  user: { id: 'AAAA' },
  pubKeyCredParams: [{ alg: -7 }],
};

describe('servicefido authenticator', () => {
  let lines: Lines;
  beforeEach(() => {
    lines = new Lines();
  });
  afterEach(async () => {
    if (lines.child.exitCode === null && lines.child.signalCode === null) await lines.end();
  });

  it('answers a wrong request by a sentence that helps, and the next request as usual', async () => {
    const create = (more: object) => JSON.stringify({ do: 'create', options: OPTIONS, ...more });
    const refused: readonly (readonly [string, RegExp])[] = [
      ['nonsense', /JSON object on one line/],
      ['[]', /JSON object on one line/],
      ['{"do":"__proto__"}', /"do" must be one of newAuthenticator, create/],
      ['{"do":"create","origin":"x"}', /the answer of the begin call/],
      ['{"do":"create","options":{"publicKey":{}},"origin":"x"}', /not the one around it/],
      [create({}), /"origin" is missing/],
      [create({ orign: ORIGIN }), /"orign" is unknown. Known are origin/],
      [create({ origin: ORIGIN, signCount: -1 }), /"signCount" must be a whole number from 0/],
      [create({ origin: ORIGIN, authenticator: 'tablet' }), /no authenticator "tablet"/],
      [create({ origin: ORIGIN }).replace('-7', '7'), /no algorithm 7/],
      ['{"do":"newAuthenticator","attestation":"pakced"}', /must be one of none, packed-self/],
      ['{"do":"newAuthenticator","backedUp":true}', /"backedUp" needs "backupEligible"/],
      ['{"do":"writeMetadata"}', /"models" must be a list/],
      [
        '{"do":"writeMetadata","models":[{"status":"revoked"}]}',
        /"status" must be one of .*REVOKED/,
      ],
      ['{"do":"startServer","domain":"a b"}', /--domain: must be a domain name/],
      [
        JSON.stringify({ do: 'get', options: { errorCode: 'E0001R', errorMessage: 'Why.' } }),
        /E0001R Why/,
      ],
    ];
    for (const [line, message] of refused) {
      expect(await lines.send(line)).toEqual({
        error: {
          name: expect.any(String) as string,
          message: expect.stringMatching(message) as string,
        },
      });
    }
    const answer = await lines.send(create({ id: 7, origin: ORIGIN, signCount: null }));
    expect(answer).toMatchObject({ id: 7, result: { type: 'public-key' } });
    expect(await lines.end()).toBe(0);
  });

  it('the server that it starts refuses a revoked model and trusts another one', async () => {
    const revoked = await lines.ask<{ aaguid: string }>('newAuthenticator', {
      name: 'revoked',
      attestation: 'packed',
      aaguid: 'A1A1A1A1-0000-4000-8000-000000000001',
    });
    const { aaguid } = await lines.ask<{ aaguid: string }>('newAuthenticator', {
      attestation: 'packed',
    });
    const { url, key } = await lines.ask<Started>('startServer', {
      domain: 'app.example',
      policy: { trust: 'all' },
      models: [{ aaguid }, { ...revoked, status: 'REVOKED' }],
    });
    const backend = new Client(url, { authorization: `Bearer ${key}` });
    const register = async (authenticator: string) => {
      const user = { username: authenticator, displayName: authenticator };
      const begun = await backend.post('/fidoapi/register/begin', user);
      const page = { options: begun.body, origin: ORIGIN, authenticator };
      return backend.post('/fidoapi/register/complete', await lines.ask('create', page));
    };
    expect(await register('default')).toMatchObject({ body: { attestation: { trusted: true } } });
    expectRefusal(await register('revoked'), 'E0038R');
  });

  it('its servers end with it, also if it is killed', async () => {
    const { url } = await lines.ask<Started>('startServer');
    const other = new Lines();
    const killed = await other.ask<Started>('startServer');
    other.child.kill('SIGKILL');
    expect(await lines.end()).toBe(0);
    for (const address of [url, killed.url]) {
      await eventually(() => expect(fetch(address)).rejects.toThrow('fetch failed'));
    }
  });
});

/** Runs a program until it ends. @returns its code and what it said */
async function runIn(folder: string, [program = '', ...args]: readonly string[]) {
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...process.env, SERVICEFIDO: `${process.execPath} ${projectPath('dist/main.js')}` },
  });
  const [said, complained, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, output: said + complained };
}

/** The program in a page that begins with a comment on its name. */
function programIn(page: string, name: string): string {
  const blocks = readFileSync(projectPath(page), 'utf8').matchAll(/^```\w+\n(.*?)^```/gms);
  const found = [...blocks].find(([, block = '']) => /^\S+ (\S+): /.exec(block)?.[1] === name);
  return found?.[1] ?? '';
}

describe('the examples of tests', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const write = (page: string, name: string) =>
    writeFileSync(join(folder, name), programIn(page, name));

  it('the JavaScript in the README of @servicefido/testing passes', async () => {
    mkdirSync(join(folder, 'node_modules/@servicefido'), { recursive: true });
    const packages = { testing: 'packages/testing', node: 'packages/node' };
    for (const [name, path] of Object.entries(packages)) {
      symlinkSync(projectPath(path), join(folder, 'node_modules/@servicefido', name), 'dir');
    }
    symlinkSync(projectPath('.'), join(folder, 'node_modules/servicefido'), 'dir');
    // As `npm init` writes it.
    writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }');
    write('packages/testing/README.md', 'sign-in.test.mjs');
    const { code, output } = await runIn(folder, [process.execPath, '--test']);
    expect(output).toContain('pass 2\n');
    expect(code).toBe(0);
  });

  describeWith('python3')('in Python', () => {
    it('the Python in docs/testing.md passes', async () => {
      write('docs/testing.md', 'test_sign_in.py');
      const { code, output } = await runIn(folder, ['python3', 'test_sign_in.py']);
      expect(output).toMatch(/Ran 3 tests in [^]*\nOK\n/);
      expect(code).toBe(0);
    });
  });

  describeWith('java')('in Java', () => {
    it('the Java in docs/testing.md passes', async () => {
      write('docs/testing.md', 'SignIn.java');
      const { code, output } = await runIn(folder, ['java', 'SignIn.java']);
      expect(output).toContain('2 tests passed');
      expect(code).toBe(0);
    });
  });
});
