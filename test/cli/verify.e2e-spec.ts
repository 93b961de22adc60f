import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Verdict } from '../../src/cli/verify/verdict.js';
import {
  CHALLENGE,
  ORIGIN,
  registrationBody,
  RP_ID,
  verifyBody,
} from '../support/authenticator/ceremony.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { attestationRoot, createAttester } from '../../packages/testing/src/attester.js';
import {
  blobEntry,
  blobRoot,
  createBlobSigner,
  writeBlob,
} from '../../packages/testing/src/blob-writer.js';
import { runCommandHere } from '../support/command.js';
import { runProgram } from '../support/server-process.js';
import { AMBIGUOUS, REFUSED_BY_READING } from '../vectors/readings.js';
import {
  type Ceremony,
  filesIn,
  readJson,
  reportMissing,
  vectorPath,
  vectorsAvailable,
  verdictOf,
} from '../vectors/vectors.js';
import { pemOf } from '../../packages/testing/src/pem.js';

const KINDS = ['registration', 'authentication'];
const AAGUID = Buffer.alloc(16, 0xa1);
const AAGUID_TEXT = 'a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1';

describe('servicefido verify', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('servicefido verify evaluates the whole collection as expected, except where we read the standard otherwise', async () => {
    if (!vectorsAvailable()) {
      reportMissing('servicefido verify over the collection');
      return;
    }
    const names = KINDS.flatMap((kind) => filesIn(kind).map((name) => join(kind, name))).filter(
      (name) => name.endsWith('.json'),
    );
    const entries = names.flatMap((name) => readJson<readonly Ceremony[]>(name));
    const blobs = filesIn('mds').filter((name) => name.endsWith('.jwt'));
    const { code, stderr, lines } = await verify(
      ...['--roots', vectorPath('roots')],
      ...blobs.flatMap((name) => ['--mds', vectorPath('mds', name)]),
      ...names.map((name) => vectorPath(name)),
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(lines.map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
    const wrong = lines.filter(({ ok }, n) => {
      const entry = entries[n];
      return entry === undefined || ok !== (verdictOf(entry) === 'valid');
    });
    const known = [...REFUSED_BY_READING].filter(([id]) =>
      entries.some((entry) => entry.id === id),
    );
    expect(wrong.map(({ id, failure }) => [id, failure]).sort()).toEqual(known.sort());
    expect(entries.filter(({ ambiguous }) => ambiguous).map(({ id }) => id)).toEqual(AMBIGUOUS);
    const internal = lines.filter(({ failure }) => failure === 'internal');
    expect(internal).toEqual([]);
    const refusedWithoutCode = lines.filter(({ ok, code: refusal }) => ok !== (refusal === null));
    expect(refusedWithoutCode).toEqual([]);
  });

  it('servicefido verify reports trust by PEM, by DER and by metadata, and its absence', async () => {
    const root = attestationRoot().certificate;
    const ceremony = file('one.json', recorded());
    const trustOf = async (...args: readonly string[]) => (await verify(...args, ceremony)).lines;
    expect(await trustOf()).toEqual([
      {
        id: 'recorded',
        ok: true,
        failure: null,
        code: null,
        format: 'packed',
        trusted: false,
        detail: 'no-anchors',
        notProven: ['id', 'evaluateAt'],
      },
    ]);
    const other = file('not-a-certificate.txt', 'x');
    expect((await trustOf('--roots', other))[0]).toMatchObject({ trusted: false });
    expect((await trustOf('--roots', file('root.pem', `text\n${pemOf(root)}`)))[0]).toMatchObject({
      trusted: true,
      detail: null,
    });
    rmSync(join(directory, 'root.pem'));
    file('root.der', root);
    expect((await trustOf('--roots', directory))[0]).toMatchObject({ trusted: true });
    rmSync(join(directory, 'root.der'));
    const statement = { attestationRootCertificates: [root.toString('base64')] };
    const blob = writeBlob({ entries: [blobEntry(AAGUID_TEXT, statement)] }, createBlobSigner());
    const blobRoots = file('blob-root.pem', pemOf(blobRoot().certificate));
    expect((await trustOf('--roots', blobRoots, '--mds', file('blob.jwt', blob)))[0]).toMatchObject(
      { trusted: true },
    );
  });

  it('servicefido verify refuses attestation that the metadata does not prove, and every expired certificate', async () => {
    const root = file('root.pem', pemOf(attestationRoot().certificate));
    const ceremonies = [
      recorded({ id: 'unknown model', requiresMetadata: true }),
      recorded({ id: 'expired' }, new Date('2025-01-01T00:00:00Z')),
    ];
    const { code, lines } = await verify('--roots', root, file('two.json', ceremonies));
    expect(code).toBe(0);
    expect(lines).toMatchObject([
      { id: 'unknown model', ok: false, failure: 'attestation-not-trusted', code: 'E0038R' },
      { id: 'expired', ok: false, failure: 'certificate-path', code: 'E1008R', detail: 'expired' },
    ]);
  });

  it('servicefido verify refuses ceremonies with the server’s codes', async () => {
    const cases: readonly (readonly [Readonly<Record<string, unknown>>, string, string])[] = [
      [{ challenge: 'AAAA' }, 'challenge-mismatch', 'E0028R'],
      [{ origin: 'https://evil.example' }, 'origin-not-allowed', 'E0029R'],
      [{ rpId: 'evil.example' }, 'rp-id-hash-mismatch', 'E0030R'],
      [{ credentialId: 'AAAA' }, 'credential-id-mismatch', 'E0006R'],
      [{ allowedAlgs: [-257] }, 'algorithm-not-offered', 'E0039R'],
      [{ credentialId: 'A=' }, 'body', 'E0006R'],
      [{ attestationObject: undefined }, 'attestation-object-encoding', 'E0007R'],
      [{ clientDataJSON: 7 }, 'client-data-malformed', 'E0008R'],
      [{ credential: { id: 'AAAA' } }, 'body', 'E0002R'],
    ];
    const entries = cases.map(([changes]) => recorded(changes));
    const { lines } = await verify(file('cases.json', entries));
    expect(lines).toMatchObject(cases.map(([, failure, code]) => ({ ok: false, failure, code })));
  });

  describe('servicefido verify of an assertion', () => {
    const device = new SoftAuthenticator();
    const user = { id: Buffer.alloc(32, 1).toString('base64url') };
    const pubKeyCredParams = [{ alg: -7 }];
    const options = { challenge: CHALLENGE, rp: { id: RP_ID }, user, pubKeyCredParams };
    const registered = verifyBody(device.create(options, { origin: ORIGIN }));
    const request = { challenge: CHALLENGE, rpId: RP_ID };
    const { response } = device.get(request, { origin: ORIGIN });
    const assertion = {
      id: 'a receipt',
      kind: 'authentication',
      username: 'anna',
      cred: 'fingerprint',
      evaluateAt: '2026-06-01T12:00:00Z',
      rpId: RP_ID,
      ...response,
      publicKeyCose: registered.publicKey.toString('base64url'),
    };

    it('servicefido verify names the members of a receipt that nothing proves', async () => {
      const { lines } = await verify(file('receipt.json', assertion));
      const notProven = ['id', 'username', 'cred', 'evaluateAt'];
      expect(lines).toMatchObject([{ ok: true, notProven: expect.arrayContaining(notProven) }]);
      expect(lines[0]?.notProven).not.toContain('publicKeyCose');
    });

    it('servicefido verify refuses another kind and another stored backup eligibility', async () => {
      const changes = [
        [{ kind: 'sign-in' }, 'no-ceremony', null],
        [{ kind: 'registration' }, 'attestation-object-encoding', 'E0007R'],
        [{ backupEligible: true }, 'backup-eligibility-changed', 'E0031R'],
      ] as const;
      const entries = changes.map(([change]) => ({ ...assertion, ...change }));
      const { lines } = await verify(file('changed.json', entries));
      expect(lines).toMatchObject(
        changes.map(([, failure, code]) => ({ ok: false, failure, code })),
      );
    });
  });

  it('servicefido verify skips checks of values that were not recorded', async () => {
    const { clientDataJSON, attestationObject } = recorded();
    const { lines } = await verify(file('bare.json', { clientDataJSON, attestationObject }));
    expect(lines).toMatchObject([{ id: null, ok: true, format: 'packed' }]);
  });

  it('servicefido verify --second-opinion adds the result of @simplewebauthn/server', async () => {
    const ceremonies = [
      recorded({ id: 'good' }),
      recorded({ id: 'refused by both', challenge: 'AAAA' }),
      recorded({ id: 'refused by us', credentialId: 'A=' }),
      recorded({ id: 'no ceremony', kind: 'other', attestationObject: undefined }),
    ];
    const { code, lines } = await verify('--second-opinion', file('four.json', ceremonies));
    expect(code).toBe(0);
    expect(lines).toMatchObject([
      { id: 'good', ok: true, secondOpinion: null },
      { id: 'refused by both', ok: false, failure: 'challenge-mismatch', secondOpinion: null },
      { id: 'refused by us', ok: false, failure: 'body', code: 'E0006R', secondOpinion: 'valid' },
      { id: 'no ceremony', ok: false, secondOpinion: null },
    ]);
  });

  it('servicefido verify prints a line for each element of an array and checks the rest', async () => {
    const odd = [null, 7, 'text', [], {}, { id: 7, kind: 'registration' }, { kind: 'other' }];
    const text = JSON.stringify([...odd, recorded()]);
    const { code, lines } = await verify(file('odd.json', `\uFEFF${text}`));
    expect(code).toBe(0);
    expect(lines.map(({ ok }) => ok)).toEqual([...odd.map(() => false), true]);
    expect(lines.filter(({ failure }) => failure === 'internal')).toEqual([]);
  });

  it('servicefido verify names every unreadable file in a line and checks nothing', async () => {
    const good = file('good.json', recorded());
    const run = await verify(
      ...['--roots', join(directory, 'absent'), '--mds', file('blob.jwt', 'no BLOB')],
      ...[good, join(directory, 'absent.json'), file('bad.json', '{')],
    );
    expect(run.code).toBe(2);
    expect(run.stdout).toBe('');
    const complaints = run.stderr.trimEnd().split('\n');
    expect(complaints).toHaveLength(4);
    expect(complaints.join('\n')).not.toMatch(/^ +at /m);
    expect((await verify()).code).toBe(2);
  });

  it('the documentation of servicefido verify shows lines as it prints them', async () => {
    const members = ['id', 'ok', 'failure', 'code', 'format', 'trusted', 'detail'];
    const { lines } = await verify(file('two.json', [recorded(), recorded({ origin: 'x' })]));
    expect(lines.map((line) => Object.keys(line))).toEqual([[...members, 'notProven'], members]);
    const text = readFileSync(new URL('../../docs/verify.md', import.meta.url), 'utf8');
    const [, example = ''] = /```json\n(\{[^]*?\})\n```/.exec(text) ?? [];
    expect(Object.keys(JSON.parse(example) as object)).toEqual(members);
  });

  function file(name: string, content: unknown): string {
    const path = join(directory, name);
    const isText = typeof content === 'string' || Buffer.isBuffer(content);
    writeFileSync(path, isText ? content : JSON.stringify(content));
    return path;
  }

  /** `--second-opinion` takes the network away from its whole process. */
  async function verify(...args: readonly string[]) {
    const runner = args.includes('--second-opinion') ? runProgram : runCommandHere;
    const run = await runner(['verify', ...args]);
    return { ...run, lines: linesOf(run.stdout) };
  }
});

function linesOf(stdout: string): Verdict[] {
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Verdict);
}

/** A registration with certificates, in the format of the collection. */
function recorded(changes: Readonly<Record<string, unknown>> = {}, at?: Date) {
  const attester = createAttester(AAGUID, at === undefined ? {} : { notAfter: at });
  const device = { attestation: 'packed', aaguid: AAGUID, attester } as const;
  const { id, response } = registrationBody({ device });
  const { clientDataJSON, attestationObject } = response;
  return {
    id: 'recorded',
    kind: 'registration',
    rpId: RP_ID,
    origin: ORIGIN,
    challenge: CHALLENGE,
    credentialId: id,
    clientDataJSON,
    attestationObject,
    evaluateAt: '2026-06-01T12:00:00Z',
    ...changes,
  };
}
