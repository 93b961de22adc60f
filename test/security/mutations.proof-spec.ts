import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import type { Answer } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

/** Values that break careless code, of every type that JSON has. */
const ODD: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, '', ' ', 'A', 'AQ', '\u0000', '__proto__', '\ud800'],
  ...[[], [[]], [null], {}, { length: 1 }, { toString: 1 }, { then: 1 }, { toJSON: 'x' }],
];

type Path = readonly string[];

describe('changed bodies', () => {
  let server: TestServer;
  let client: FidoClient;
  beforeAll(async () => {
    server = await TestServer.start();
    client = new FidoClient(server.url);
    await client.register('anna');
  });
  afterAll(() => server.stop());

  it.each(['beginRegistration', 'beginAuthentication'] as const)(
    'a changed member of %s never causes a 5xx',
    async (call) => {
      const body = {
        username: 'anna',
        displayName: 'anna',
        userVerification: 'preferred',
        attestation: 'none',
        attachment: 'all',
        algorithms: ['es256'],
        discoverable_credential: 'preferred',
        keypair: { name: 'x' },
        hints: ['hybrid'],
        authenticatorSelection: { userVerification: 'preferred', residentKey: 'preferred' },
        extensions: { credProtect: 1, prf: { eval: {} } },
        ticket: 'x',
      };
      for (const path of pathsOf(body)) {
        for (const odd of ODD)
          evaluate(await client.post(client.paths[call], replaced(body, path, odd)));
      }
    },
  );

  it('a changed member of attestation/result never causes a 5xx', async () => {
    for (const path of pathsOf((await registration()).body)) {
      for (const odd of ODD) {
        const { user, body } = await registration();
        evaluate(await user.completeRegistration(replaced(body, path, odd)));
      }
    }
  });

  it('a changed member of assertion/result never causes a 5xx', async () => {
    const paths = pathsOf(client.assert(await client.beginAuthentication('anna')));
    for (const path of paths) {
      for (const odd of ODD) {
        const body = client.assert(await client.beginAuthentication('anna'));
        evaluate(await client.completeAuthentication(replaced(body, path, odd)));
      }
    }
  });

  it('refuses an attestation object with any byte changed, and one cut at any byte', async () => {
    const before = await server.snapshot();
    const sample = (await registration()).body.response.attestationObject;
    const count = spoiledBytes(sample).length;
    for (let n = 0; n < count; n += 1) {
      const { user, body } = await registration();
      const attestationObject = spoiledBytes(body.response.attestationObject)[n] ?? '';
      const response = { ...body.response, attestationObject };
      expect(evaluate(await user.completeRegistration({ ...body, response }))).not.toBe(200);
    }
    expect(await server.snapshot()).toBe(before);
  });

  it.each(['authenticatorData', 'clientDataJSON', 'signature'] as const)(
    'refuses an assertion whose %s is changed in any byte or truncated',
    async (member) => {
      const before = await server.snapshot();
      const sample = client.assert(await client.beginAuthentication('anna'));
      const count = spoiledBytes(sample.response[member]).length;
      for (let n = 0; n < count; n += 1) {
        const body = client.assert(await client.beginAuthentication('anna'));
        const spoiled = spoiledBytes(body.response[member])[n] ?? '';
        const response = { ...body.response, [member]: spoiled };
        expect(evaluate(await client.completeAuthentication({ ...body, response }))).not.toBe(200);
      }
      expect(await server.snapshot()).toBe(before);
    },
  );

  function evaluate({ status, body }: Answer) {
    expect(status).toBeLessThan(500);
    if (status !== 200) expect(body.errorMessage).toEqual(expect.stringMatching(/\.$/));
    return status;
  }

  async function registration() {
    const authenticator = new SoftAuthenticator({ attestation: 'packed-self' });
    const user = new FidoClient(server.url, { authenticator });
    return { user, body: user.create(await user.beginRegistration('ben')) };
  }
});

/** Paths of all members of a body, inner ones too. */
function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Object.entries(value).flatMap(([name, item]) => pathsOf(item, [...path, name]));
  return path.length === 0 ? inner : [path, ...inner];
}

/** A copy of the body with another value in one place. */
function replaced(body: object, [name = '', ...rest]: Path, value: unknown): object {
  const inner: unknown = Reflect.get(body, name);
  const changed = rest.length === 0 ? value : replaced(inner as object, rest, value);
  if (Array.isArray(body)) return body.map((item, i) => (String(i) === name ? changed : item));
  return { ...body, [name]: changed };
}

/** Each way to change one byte or to cut behind it. */
function spoiledBytes(text: string) {
  const bytes = Buffer.from(text, 'base64url');
  return [...bytes.keys()].flatMap((i) => {
    const flipped = Buffer.from(bytes);
    flipped[i] = (flipped[i] ?? 0) ^ 0xff;
    return [flipped, bytes.subarray(0, i)].map((spoiled) => spoiled.toString('base64url'));
  });
}
