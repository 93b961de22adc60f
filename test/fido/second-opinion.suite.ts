import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import type { Attestation } from '../../packages/testing/src/statements.js';
import { sha256 } from '../../packages/testing/src/structures.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

// W3C WebAuthn L3 §8.9, which `@simplewebauthn/server` does not know.
const DIFFERS = 'secondOpinion: ours valid, theirs Unsupported Attestation Format: compound';

describe('a second opinion of registrations', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
    for (const mode of ['off', 'report', 'enforce'] as const) {
      const policy = { secondOpinion: mode };
      await server.addRelyingParty('acme', { domain: `${mode}.example`, policy });
    }
  });
  afterAll(() => server.stop());

  const newUser = (mode: string, attestation: Attestation) =>
    new FidoClient(server.url, {
      relyingParty: `${mode}.example`,
      origin: `https://${mode}.example`,
      authenticator: new SoftAuthenticator({ attestation }),
    });

  const told = async (username: string) => {
    const rows = await rowsOf<{ detail: string }>(
      server,
      "SELECT detail FROM events WHERE kind = 'policy' AND username = ?",
      Buffer.from(username),
    );
    return rows.map(({ detail }) => detail);
  };

  it.each(['none', 'packed', 'packed-self', 'fido-u2f'] as const)(
    'adds no event if both verifiers accept attestation %s, and the key signs in',
    async (format) => {
      const client = newUser('enforce', format);
      const options = { attestation: 'direct', algorithms: ['es256'] };
      expect((await client.register(`same-${format}`, options)).status).toBe(200);
      expect((await client.signIn(`same-${format}`)).status).toBe(200);
      expect(await told(`same-${format}`)).toEqual([]);
    },
  );

  it('secondOpinion "off" accepts a format that the second verifier lacks, without an event', async () => {
    const answer = await newUser('off', 'compound').register('olga', { attestation: 'direct' });
    expect(answer.status).toBe(200);
    expect(await told('olga')).toEqual([]);
  });

  it('secondOpinion "report" accepts a format that the second verifier lacks, with an event', async () => {
    const client = newUser('report', 'compound');
    expect((await client.register('rosa', { attestation: 'direct' })).status).toBe(200);
    expect((await client.signIn('rosa')).status).toBe(200);
    expect(await told('rosa')).toEqual([DIFFERS]);
  });

  it('secondOpinion "enforce" refuses a format that the second verifier lacks (E0038R)', async () => {
    const answer = await newUser('enforce', 'compound').register('emil', { attestation: 'direct' });
    expectRefusal(answer, 'E0038R');
    expect(answer.body['errorMessage']).toBe('A second verifier refuses this registration.');
    expect(await told('emil')).toEqual([DIFFERS]);
  });

  it('adds an event with both reasons if only the server’s own verifier refuses (E0009R)', async () => {
    const client = newUser('report', 'none');
    const begun = await client.beginRegistration('tim');
    const body = client.create(begun, { clientData: { tokenBinding: { status: 'supported' } } });
    expectRefusal(await client.completeRegistration(body), 'E0009R');
    expect(await told('tim')).toEqual(['secondOpinion: ours token-binding-present, theirs valid']);
  });

  it('adds no event if both verifiers refuse a registration (E0030R)', async () => {
    const client = newUser('enforce', 'none');
    const begun = await client.beginRegistration('bob');
    const body = client.create(begun, { rpIdHash: sha256(Buffer.from('elsewhere.example')) });
    expectRefusal(await client.completeRegistration(body), 'E0030R');
    expect(await told('bob')).toEqual([]);
  });
});
