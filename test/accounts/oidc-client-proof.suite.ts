import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BrowserClient } from '../support/browser-client.js';
import type { TestDatabase } from '../support/databases.js';
import { answerFor } from '../support/oidc/provider-answer.js';
import { CLIENT_ID, ProviderProcess } from '../support/oidc/provider-process.js';
import { createServerDatabase } from '../support/server-database.js';
import { freePort } from '../support/server-process.js';
import { TestServer } from '../support/test-server.js';

const BEGIN = '/console/oidc';
const ANNA = { sub: 'u-anna', preferred_username: 'anna', groups: ['fido-admins'] };

/** Key pairs with the algorithm by which the console signs. */
const KEYS = [
  ['RS256', () => generateKeyPairSync('rsa', { modulusLength: 2048 })],
  ['ES256', () => generateKeyPairSync('ec', { namedCurve: 'P-256' })],
] as const;

describe('a console that proves itself to the OpenID provider by a private key', () => {
  const directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  let database: TestDatabase;
  let provider: ProviderProcess;
  let port: number;
  beforeAll(async () => {
    [database, port] = await Promise.all([createServerDatabase('SQLite'), freePort()]);
    provider = await ProviderProcess.start(port);
    await provider.signInAs(ANNA);
  });
  afterAll(async () => {
    await provider.stop();
    await database.remove();
    rmSync(directory, { recursive: true });
  });

  it.each(KEYS)('signs an account in with %s, although the instance changes', async (alg, pair) => {
    const { privateKey, publicKey } = pair();
    await useKey(publicKey, alg);
    const first = await start(privateKey);
    const browser = new BrowserClient(first.url);
    let callback: string;
    try {
      callback = await answerFor(browser, BEGIN);
    } finally {
      await first.stop();
    }
    const second = await start(privateKey);
    try {
      expect((await browser.open(callback)).text).toContain('anna (oidc)');
    } finally {
      await second.stop();
    }
  });

  it('signs nobody in with another key', async () => {
    const [, makeKeys] = KEYS[1];
    await useKey(makeKeys().publicKey, 'ES256');
    const server = await start(makeKeys().privateKey);
    try {
      const shown = await new BrowserClient(server.url).open(BEGIN);
      expect(shown.status).toBe(401);
    } finally {
      await server.stop();
    }
  });

  function keyFile(privateKey: KeyObject): string {
    const file = join(directory, 'client.pem');
    writeFileSync(file, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    return file;
  }

  function useKey(publicKey: KeyObject, alg: string) {
    return provider.changeClient({
      client_secret: undefined,
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'c-1', use: 'sig', alg }] },
    });
  }

  function start(privateKey: KeyObject) {
    const client = { id: CLIENT_ID, privateKeyFile: keyFile(privateKey), keyId: 'c-1' };
    return TestServer.start({
      database,
      port,
      options: { consoleOidc: provider.file({ client }) },
    });
  }
});
