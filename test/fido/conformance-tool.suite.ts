import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, type Authority } from '../../packages/testing/src/certificate-writer.js';
import { writeRevocationList } from '../../packages/testing/src/revocation-list-writer.js';
import {
  ConformanceTool,
  EXTENSIONS,
  expectOutcome,
} from '../support/conformance/conformance-tool.js';
import {
  fullAttestation,
  GET_ASSERTION_CASES,
  MAKE_CREDENTIAL_CASES,
} from '../support/conformance/every-case.js';
import { AAGUID, lostModel, MODELS } from '../support/conformance/models.js';
import {
  blobRoot,
  createBlobSigner,
  writeBlob,
  type BlobSigner,
} from '../../packages/testing/src/blob-writer.js';
import { pemOf } from '../../packages/testing/src/pem.js';
import { loadCertificate } from '../../src/webauthn/certificates/certificate.js';
import { TestServer } from '../support/test-server.js';

const directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
const NEXT_UPDATE = '2099-01-01';

/** Authorities of signers whose certificates are revoked: an intermediate by the root, a leaf by the intermediate. */
const [revokedAuthority, revokingAuthority] = ['Revoked', 'Revoking'].map((title) =>
  createAuthority(`${title} BLOB Intermediate`, { issuer: blobRoot() }),
) as [Authority, Authority];
const revokedSigner = createBlobSigner({ issuer: revokingAuthority });

const crls = [
  writeList('root.crl', blobRoot(), revokedAuthority.certificate),
  writeList('intermediate.crl', revokingAuthority, revokedSigner.x5c[0]),
];

describe("FIDO's conformance tests with --conformance on", () => {
  let server: TestServer;
  beforeAll(async () => {
    const mdsRoots = write('roots.pem', pemOf(blobRoot().certificate));
    server = await TestServer.start({
      options: { conformance: true, mds: offeredBlobs(), mdsRoots, crls },
    });
  });
  afterAll(() => server.stop());

  it('MakeCredential Request P-1: options have every member and echo the extensions', async () => {
    const tool = packed();
    const { status, body } = await tool.beginRegistration();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'ok',
      errorMessage: '',
      rp: { id: 'localhost', name: expect.any(String) },
      user: {
        id: expect.stringMatching(/^[\w-]{1,86}$/),
        name: tool.username,
        displayName: tool.username,
      },
      challenge: expect.stringMatching(/^[\w-]{22,86}$/),
      timeout: expect.any(Number),
      extensions: EXTENSIONS,
    });
    expect(body['pubKeyCredParams']).toContainEqual({ type: 'public-key', alg: -7 });
  });

  it('MakeCredential Request P-2: options echo attestation none', async () => {
    const { body } = await packed().beginRegistration({ attestation: 'none' });
    expect(body).toMatchObject({ attestation: 'none' });
  });

  it('MakeCredential Request P-3: two requests have different challenges', async () => {
    const tool = packed();
    const first = await tool.beginRegistration();
    const second = await tool.beginRegistration();
    expect(first.body['challenge']).not.toBe(second.body['challenge']);
  });

  it('MakeCredential Request P-4: options echo userVerification required', async () => {
    const { body } = await packed().beginRegistration({
      authenticatorSelection: { userVerification: 'required' },
    });
    expect(body).toMatchObject({ authenticatorSelection: { userVerification: 'required' } });
  });

  it('MakeCredential Resp-1 P-1: accepts a valid packed and lists the key in excludeCredentials', async () => {
    const tool = packed();
    expectOutcome(await tool.register(), undefined);
    const { body } = await tool.beginRegistration();
    const [id] = tool.credentialIds;
    expect(body).toMatchObject({ excludeCredentials: [{ type: 'public-key', id }] });
  });

  it.each(MAKE_CREDENTIAL_CASES)('%s', async (_, test) => {
    const tool = new ConformanceTool(server.url, test.device);
    expectOutcome(await tool.register(test), test.code);
  });

  it('GetAssertion Request P-1: options have every member and echo the extensions', async () => {
    const tool = packed();
    expectOutcome(await tool.register(), undefined);
    const { status, body } = await tool.beginAuthentication({ userVerification: 'discouraged' });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: 'ok',
      errorMessage: '',
      rpId: 'localhost',
      challenge: expect.stringMatching(/^[\w-]{22,86}$/),
      timeout: expect.any(Number),
      userVerification: 'discouraged',
      extensions: EXTENSIONS,
      allowCredentials: [{ type: 'public-key', id: tool.credentialIds[0] }],
    });
  });

  it('GetAssertion Request P-2: two requests have different challenges', async () => {
    const tool = packed();
    expectOutcome(await tool.register(), undefined);
    const first = await tool.beginAuthentication();
    const second = await tool.beginAuthentication();
    expect(first.body['challenge']).not.toBe(second.body['challenge']);
  });

  it.each(GET_ASSERTION_CASES)('%s', async (_, test) => {
    const tool = new ConformanceTool(server.url, {
      ...fullAttestation(AAGUID.full),
      ...test.device,
    });
    expectOutcome(await tool.register(), undefined);
    expectOutcome(await tool.signIn(test), test.code);
  });

  function packed() {
    return new ConformanceTool(server.url, fullAttestation(AAGUID.full));
  }
});

function write(name: string, content: string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

function blobOf(aaguid: Buffer, { keyPair, x5c: [leaf = Buffer.of()] }: BlobSigner, by: Authority) {
  return writeBlob(
    { nextUpdate: NEXT_UPDATE, entries: [lostModel(aaguid)] },
    { keyPair, x5c: [leaf, by.certificate] },
  );
}

function writeList(file: string, issuer: Authority, revoked: Buffer | undefined): string {
  // With the leading zero of a number whose first bit is set, as the certificate has it.
  const serial = Buffer.from(loadCertificate(revoked ?? Buffer.of()).serialNumber, 'hex');
  const path = join(directory, file);
  writeFileSync(path, writeRevocationList({ issuer, revoked: [{ serial }] }));
  return path;
}

function unsigned(blob: string) {
  return `${blob.slice(0, -8)}AAAAAAAA`;
}

/** The BLOBs that the tool offers, of which one is good. */
function offeredBlobs() {
  return [
    write('good.jwt', writeBlob({ nextUpdate: NEXT_UPDATE, entries: MODELS })),
    write(
      'signature.jwt',
      unsigned(writeBlob({ nextUpdate: NEXT_UPDATE, entries: [lostModel(AAGUID.unsigned)] })),
    ),
    write(
      'chain.jwt',
      writeBlob(
        { nextUpdate: NEXT_UPDATE, entries: [lostModel(AAGUID.unchained)] },
        createBlobSigner({ issuer: createAuthority('Another BLOB Root') }),
      ),
    ),
    write(
      'revoked-intermediate.jwt',
      blobOf(
        AAGUID.revokedIntermediate,
        createBlobSigner({ issuer: revokedAuthority }),
        revokedAuthority,
      ),
    ),
    write('revoked-leaf.jwt', blobOf(AAGUID.revokedLeaf, revokedSigner, revokingAuthority)),
  ];
}
