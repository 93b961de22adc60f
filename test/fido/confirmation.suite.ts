import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { jest } from '@jest/globals';
import { decodeJwt } from 'jose';
import { verifyCommand } from '../../src/cli/verify.js';
import { evaluateCeremony } from '../../src/cli/verify/evaluate.js';
import { optionsWith } from '../../src/platform/config/load-options.js';
import { TokenService } from '../../src/fido/tokens/token.service.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { attestationRoot } from '../../packages/testing/src/attester.js';
import { adminClient, type Answer } from '../support/client.js';
import { FidoClient } from '../support/fido-client.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { MetadataIndex } from '../../src/webauthn/metadata/metadata-index.js';

const RELYING_PARTY = 'acme.example';
const ORIGIN = 'https://acme.example';
const AUDIENCE = 'https://api.acme.example';
const TEXT = 'Pay 25 EUR to Bäckerei Müller';
/** No attestation is needed: a receipt has none. */
const NOBODY = { anchors: [], metadata: new MetadataIndex() };
const SHA256 = createHash('sha256').update(TEXT).digest();

describe('sign-ins with a nonce, audience, acr or transaction', () => {
  let server: TestServer;
  let anna: FidoClient;
  beforeAll(async () => {
    server = await TestServer.start();
    const anchors = [pemOf(attestationRoot().certificate)];
    const policy = { audiences: [AUDIENCE, 'reports', 'globex.example'], anchors };
    await server.addRelyingParty('acme', { domain: RELYING_PARTY, policy });
    anna = await newUser('anna');
  });
  afterAll(() => server.stop());

  async function newUser(username: string, attestation: 'none' | 'packed' = 'none') {
    const authenticator = new SoftAuthenticator({ attestation });
    const settings = { relyingParty: RELYING_PARTY, origin: ORIGIN, authenticator };
    const client = new FidoClient(server.url, settings);
    const { status } = await client.register(username, { attestation: 'direct' });
    expect(status).toBe(200);
    return client;
  }
  /** A sign-in with a transaction. */
  async function signIn(claims: object, client = anna, username = 'anna'): Promise<Answer> {
    const begun = await client.beginAuthentication(username, claims);
    return begun.status === 200 ? client.completeAuthentication(client.assert(begun)) : begun;
  }
  const claimsOf = ({ body }: Answer) => decodeJwt(String(body['token']));

  it('a sign-in without nonce, audience, acr and transaction issues an ordinary token', async () => {
    const claims = claimsOf(await signIn({}));
    expect(claims).toMatchObject({ aud: RELYING_PARTY, acr: 'phr' });
    expect(Object.keys(claims)).not.toContain('nonce');
    expect(Object.keys(claims)).not.toContain('txn');
  });

  it.each(['n-0S6_WzA2Mj', 'ü'.repeat(127), ' '])(
    'the token contains the requested nonce %j',
    async (nonce) => {
      expect(claimsOf(await signIn({ nonce }))).toMatchObject({ nonce, aud: RELYING_PARTY });
    },
  );

  it('issues a token for the requested audience only if the policy lists it (E0001R)', async () => {
    expect(claimsOf(await signIn({ audience: AUDIENCE })).aud).toBe(AUDIENCE);
    expect(claimsOf(await signIn({ audience: 'reports' })).aud).toBe('reports');
    for (const audience of [RELYING_PARTY, `${AUDIENCE}/`, 'REPORTS', '']) {
      expectRefusal(await signIn({ audience }), 'E0001R');
    }
    const { body } = await signIn({ audience: 'REPORTS' });
    expect(body).toMatchObject({
      reason: 'audience.notListed',
      errorMessage: `"audience" must be one of the relying party's "audiences", and "REPORTS" is not.`,
    });
    const line = server.loggedOf(body['requestId']);
    const allowed = [AUDIENCE, 'reports', 'globex.example'];
    expect(line).toMatchObject({ audience: 'REPORTS', allowed });
  });

  it('issues no token for the domain of another tenant, even if the policy lists it (E0001R)', async () => {
    expect(claimsOf(await signIn({ audience: 'globex.example' })).aud).toBe('globex.example');
    await server.addRelyingParty('globex', { domain: 'globex.example' });
    expectRefusal(await signIn({ audience: 'globex.example' }), 'E0001R');
  });

  it('the token contains the requested acr if the key meets it', async () => {
    const berta = await newUser('berta', 'packed');
    for (const acr of ['phr', 'phrh']) {
      expect(claimsOf(await signIn({ acr }, berta, 'berta')).acr).toBe(acr);
    }
    expect(claimsOf(await signIn({}, berta, 'berta')).acr).toBe('phrh');
    expect(claimsOf(await signIn({ acr: 'phr' })).acr).toBe('phr');
  });

  describe('a key that does not meet the requested acr', () => {
    it('a key that does not meet the requested acr cannot sign in, nor raise its counter (E0038R)', async () => {
      const carla = await newUser('carla');
      const begun = await carla.beginAuthentication('carla', { acr: 'phrh' });
      const assertion = carla.assert(begun);
      expectRefusal(await carla.completeAuthentication(assertion), 'E0038R');
      // The counter that it had then is still good.
      const [credential] = carla.authenticator.credentials;
      if (credential) credential.signCount -= 1;
      expect((await carla.signIn('carla')).status).toBe(200);
    });

    it('a wrong signature or counter is refused before an acr that the key does not meet', async () => {
      const dora = await newUser('dora');
      const ask = { acr: 'phrh' };
      expect((await dora.signIn('dora')).status).toBe(200);
      const genuine = dora.assert(await dora.beginAuthentication('dora', ask));
      const forged = { ...genuine, response: { ...genuine.response, signature: 'AAAA' } };
      expectRefusal(await dora.completeAuthentication(forged), 'E0032R');
      const [credential] = dora.authenticator.credentials;
      if (credential) credential.signCount = 0;
      expectRefusal(await signIn(ask, dora, 'dora'), 'E0035R');
    });
  });

  describe('a sign-in that confirms a transaction', () => {
    const HASH = SHA256.toString('base64url');

    it.each([{ text: TEXT }, { hash: HASH }])(
      'the challenge for the transaction %j ends with the SHA-256 of its text',
      async (transaction) => {
        const begun = await anna.beginAuthentication('anna', { transaction });
        const challenge = Buffer.from(String(begun.body['challenge']), 'base64url');
        expect(challenge).toHaveLength(64);
        expect(challenge.subarray(32)).toEqual(SHA256);
        const answer = await anna.completeAuthentication(anna.assert(begun));
        expect(claimsOf(answer)).toMatchObject({ txn: HASH, sub: 'anna' });
      },
    );

    it('refuses a challenge whose transaction hash is another one or missing (E0028R)', async () => {
      for (const change of [
        (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 32), randomBytes(32)]),
        (bytes: Buffer) => bytes.subarray(0, 32),
      ]) {
        const begun = await anna.beginAuthentication('anna', { transaction: { text: TEXT } });
        const challenge = change(Buffer.from(String(begun.body['challenge']), 'base64url'));
        const body = { ...begun.body, challenge: challenge.toString('base64url') };
        const answer = await anna.completeAuthentication(anna.assert({ ...begun, body }));
        expectRefusal(answer, 'E0028R');
      }
    });

    it('an assertion confirms a transaction only once (E0024R)', async () => {
      const begun = await anna.beginAuthentication('anna', { transaction: { text: TEXT } });
      const assertion = anna.assert(begun);
      expect((await anna.completeAuthentication(assertion)).status).toBe(200);
      expectRefusal(await anna.completeAuthentication(assertion), 'E0024R');
    });

    it('a token for a transaction or for another audience is no authority on this server', async () => {
      const rp = relyingPartyOf(server, RELYING_PARTY);
      const counts = async (answer: Answer) =>
        (await server.get(TokenService).read(String(answer.body['token']), rp))?.isAuthority ??
        false;
      expect(await counts(await signIn({ nonce: 'x', acr: 'phr' }))).toBe(true);
      expect(await counts(await signIn({ transaction: { text: TEXT } }))).toBe(false);
      expect(await counts(await signIn({ audience: AUDIENCE }))).toBe(false);
    });
  });

  describe('the receipt of a transaction', () => {
    const admin = (relyingParty = RELYING_PARTY) => {
      const client = adminClient(server.url);
      client.headers['x-servicefido-relyingparty'] = relyingParty;
      return client;
    };
    const path = ({ body }: Answer) => `/userapi/receipts/${String(body['receipt'])}`;
    const judged = ({ body }: Answer, text: string) =>
      evaluateCeremony({ ...(body['receipt'] as object), transaction: { text } }, NOBODY);

    it('a receipt proves the confirmed text, even after user and key are deleted', async () => {
      const emil = await newUser('emil');
      const signedIn = await signIn({ transaction: { text: TEXT } }, emil, 'emil');
      expect(signedIn.body['receipt']).toBe(claimsOf(signedIn).jti);
      const query = 'type=deluser&filter=emil';
      expect((await admin().get(`/userapi/manageusers?${query}`)).status).toBe(200);
      const receipt = await admin().get(path(signedIn));
      expect(receipt).toMatchObject({
        status: 200,
        body: {
          receipt: {
            id: signedIn.body['receipt'],
            kind: 'authentication',
            username: 'emil',
            rpId: RELYING_PARTY,
            cred: claimsOf(signedIn)['cred'],
            transaction: { hash: SHA256.toString('base64url') },
          },
        },
      });
      expect(evaluateCeremony(receipt.body['receipt'], NOBODY).ok).toBe(true);
      expect(judged(receipt, TEXT)).toMatchObject({
        ok: true,
        transaction: SHA256.toString('base64url'),
      });
      expect(judged(receipt, `${TEXT}.`)).toMatchObject({ ok: false, failure: 'transaction' });
      const forged = { ...(receipt.body['receipt'] as object), signature: 'AAAA' };
      expect(evaluateCeremony(forged, NOBODY)).toMatchObject({
        ok: false,
        failure: 'signature-invalid',
      });
    });

    it('a receipt is not found at another relying party or under another ID (E0044R)', async () => {
      const signedIn = await signIn({ transaction: { text: TEXT } });
      expect((await admin().get(path(signedIn))).status).toBe(200);
      for (const answer of [
        await admin('localhost').get(path(signedIn)),
        await admin().get('/userapi/receipts/none'),
        await admin().get(`/userapi/receipts/${'A'.repeat(22)}`),
      ]) {
        expect(answer).toMatchObject({ status: 404, body: { errorCode: 'E0044R' } });
      }
    });

    it('a sign-in without a transaction returns no receipt', async () => {
      const { body } = await signIn({ nonce: 'x', acr: 'phr', audience: AUDIENCE });
      expect(body).not.toHaveProperty('receipt');
    });

    it('`servicefido verify` accepts a receipt as the server returned it', async () => {
      const { text } = await admin().get(path(await signIn({ transaction: { text: TEXT } })));
      const file = join(mkdtempSync(join(tmpdir(), 'servicefido-test-')), 'receipt.json');
      writeFileSync(file, text);
      const written: string[] = [];
      const write = jest.spyOn(process.stdout, 'write').mockImplementation((line) => {
        written.push(String(line));
        return true;
      });
      await verifyCommand.verify({
        options: optionsWith({}),
        file: [file],
        transaction: TEXT,
        roots: undefined,
        secondOpinion: false,
      });
      write.mockRestore();
      expect(JSON.parse(written.join(''))).toMatchObject({ ok: true, failure: null });
      rmSync(dirname(file), { recursive: true });
    });
  });

  it.each<[string, object]>([
    ['an empty nonce', { nonce: '' }],
    ['a nonce of 256 bytes', { nonce: 'ü'.repeat(128) }],
    ['a nonce that is no text', { nonce: 7 }],
    ['a nonce that is a lone surrogate', { nonce: '\ud800' }],
    ['an audience that is no text', { audience: [AUDIENCE] }],
    ['an unknown acr', { acr: 'urn:mace:incommon:iap:silver' }],
    ['an empty transaction', { transaction: {} }],
    ['a transaction that is a text', { transaction: TEXT }],
    ['a transaction with an empty text', { transaction: { text: '' } }],
    ['a transaction text of 1025 bytes', { transaction: { text: 'x'.repeat(1025) } }],
    [
      'a transaction with a text and a hash',
      { transaction: { text: TEXT, hash: SHA256.toString('base64url') } },
    ],
    ['a transaction hash in hexadecimal', { transaction: { hash: SHA256.toString('hex') } }],
    ['a transaction hash of 3 bytes', { transaction: { hash: 'AAAA' } }],
    ['an unknown member of the transaction', { transaction: { text: TEXT, more: 1 } }],
  ])('refuses a begin call with %s (E0001R)', async (_, body) => {
    expectRefusal(await anna.beginAuthentication('anna', body), 'E0001R');
  });

  it('accepts a transaction text of 1 KiB', async () => {
    expect((await signIn({ transaction: { text: 'x'.repeat(1024) } })).status).toBe(200);
  });

  it('refuses nonce, audience, acr and transaction with --jwt off, but no sign-in (E0046R)', async () => {
    const plain = await TestServer.start({ options: { jwt: false } });
    const client = new FidoClient(plain.url);
    await client.register('anna');
    for (const asked of [
      { nonce: 'x' },
      { audience: 'x' },
      { acr: 'phr' },
      { transaction: { text: TEXT } },
    ]) {
      expectRefusal(await client.beginAuthentication('anna', asked), 'E0046R', 404);
    }
    expect((await client.signIn('anna')).status).toBe(200);
    await plain.stop();
  });
});
