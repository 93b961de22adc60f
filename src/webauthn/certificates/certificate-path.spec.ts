import {
  ATTESTATION_SUBJECT,
  type Authority,
  basicConstraints,
  type CertificateParts,
  createAuthority,
  extendedKeyUsage,
  keyUsage,
  writeCertificate,
} from '../../../packages/testing/src/certificate-writer.js';
import { sequence } from '../../../packages/testing/src/der-writer.js';
import { ALG, createKeyPair, generateKeys } from '../../../packages/testing/src/key-pair.js';
import { writeRevocationList } from '../../../packages/testing/src/revocation-list-writer.js';
import { loadCertificate } from './certificate.js';
import {
  validateCertificatePath,
  type PathFault,
  timeFaultOf,
  withoutRoot,
} from './certificate-path.js';
import { readRevocationList } from './revocation-list.js';
import { RevocationLists } from './revocation-lists.js';

const AT = new Date('2026-06-01T12:00:00Z');
const AUTHORITY = [basicConstraints(true), keyUsage('authority')];
const ROOT = createAuthority('Root');
const ATTACKER = createAuthority('Root');
const INTERMEDIATE = createAuthority('Intermediate', { issuer: ROOT });

/** The last byte belongs to `s` of the signature. */
const BROKEN = leafOf(ROOT);
BROKEN.writeUInt8(BROKEN.readUInt8(BROKEN.length - 1) ^ 1, BROKEN.length - 1);

describe('validateCertificatePath', () => {
  it('trusts a leaf issued by the anchor and one issued by an intermediate', () => {
    expect(evaluate([leafOf(ROOT)])).toBe('trusted');
    expect(evaluate([leafOf(INTERMEDIATE), INTERMEDIATE.certificate])).toBe('trusted');
  });

  it('trusts a path to an intermediate that is an anchor itself', () => {
    expect(evaluate([leafOf(INTERMEDIATE)], [INTERMEDIATE])).toBe('trusted');
    expect(evaluate([leafOf(INTERMEDIATE), INTERMEDIATE.certificate], [INTERMEDIATE])).toBe(
      'trusted',
    );
  });

  it('trusts an attestation certificate that is the anchor, also with its issuer (WebAuthn L3 §7.1)', () => {
    const leaf = leafOf(INTERMEDIATE);
    for (const x5c of [[leaf], [leaf, INTERMEDIATE.certificate]]) {
      const verdict = validateCertificatePath(x5c, { anchors: [leaf], at: AT });
      expect(verdict).toEqual({ trusted: true, anchor: leaf, chain: [leaf] });
    }
  });

  describe('a chain that goes on past the anchor (RFC 5280 §6.1)', () => {
    const NEWER = createAuthority('Newer root');
    /** The root’s key, certified by another root. */
    const CROSS_SIGNED = writeCertificate({
      subject: ROOT.name,
      publicKey: ROOT.keyPair.publicKey,
      issuer: NEWER,
      extensions: AUTHORITY,
    });
    const leaf = leafOf(INTERMEDIATE);
    const x5c = [leaf, INTERMEDIATE.certificate, CROSS_SIGNED];
    const validate = (...anchors: readonly Buffer[]) =>
      validateCertificatePath(x5c, { anchors, at: AT });

    it('a chain ends at the anchor, and what goes on past it is not part of the path', () => {
      const { certificate: root } = ROOT;
      const [, intermediate = leaf] = x5c;
      expect(validate(root)).toMatchObject({ trusted: true, chain: [leaf, intermediate, root] });
      expect(validate(intermediate)).toMatchObject({ trusted: true, chain: [leaf, intermediate] });
      expect(validate(CROSS_SIGNED)).toMatchObject({ trusted: true, chain: x5c });
      const all = [...x5c, NEWER.certificate];
      expect(validate(NEWER.certificate)).toMatchObject({ trusted: true, chain: all });
    });

    it('uses the first anchor of the list to which a path leads', () => {
      const [, intermediate = leaf] = x5c;
      expect(validate(ROOT.certificate, intermediate).anchor).toBe(ROOT.certificate);
      expect(validate(intermediate, ROOT.certificate).anchor).toBe(intermediate);
    });

    it('refuses a root or an unrelated certificate past the anchor', () => {
      expect(evaluate([leaf, INTERMEDIATE.certificate, ROOT.certificate], [INTERMEDIATE])).toBe(
        'root-in-path',
      );
      expect(evaluate([...x5c, INTERMEDIATE.certificate])).toBe('not-issued-by-next');
    });

    it('validateCertificatePath does not evaluate the validity of certificates past the anchor', () => {
      const expired = writeCertificate({
        subject: ROOT.name,
        publicKey: ROOT.keyPair.publicKey,
        issuer: NEWER,
        extensions: AUTHORITY,
        notAfter: new Date('2021-01-01T00:00:00Z'),
      });
      expect(evaluate([...x5c.slice(0, 2), expired])).toBe('trusted');
      expect(evaluate([...x5c.slice(0, 2), expired], [NEWER])).toBe('expired');
    });
  });

  it('uses the anchor that signed the certificate when two anchors share a name', () => {
    const namesake = createAuthority('Root');
    expect(evaluate([leafOf(ROOT)], [namesake])).toBe('no-anchor-issued-it');
    expect(evaluate([leafOf(ROOT)], [namesake, ROOT])).toBe('trusted');
  });

  it.each<[string, PathFault, readonly Buffer[], readonly Authority[]]>([
    ['a path without anchors', 'no-anchors', [leafOf(ROOT)], []],
    ['an empty path', 'no-certificates', [], [ROOT]],
    [
      'a broken path, even without anchors',
      'not-issued-by-next',
      [leafOf(ROOT), INTERMEDIATE.certificate],
      [],
    ],
    [
      'a leaf under an unknown root',
      'no-anchor-issued-it',
      [leafOf(createAuthority('Other'))],
      [ROOT],
    ],
    ['a path that contains the root', 'root-in-path', [leafOf(ROOT), ROOT.certificate], [ROOT]],
    [
      'a path that contains an attacker’s root',
      'root-in-path',
      [leafOf(ATTACKER), ATTACKER.certificate],
      [ROOT],
    ],
    [
      'certificates in the wrong order',
      'not-issued-by-next',
      [INTERMEDIATE.certificate, leafOf(INTERMEDIATE)],
      [ROOT],
    ],
    [
      'a path with an unrelated certificate',
      'not-issued-by-next',
      [leafOf(ROOT), INTERMEDIATE.certificate],
      [ROOT],
    ],
    ['a path whose intermediate is missing', 'no-anchor-issued-it', [leafOf(INTERMEDIATE)], [ROOT]],
    ['a leaf with a broken signature', 'no-anchor-issued-it', [BROKEN], [ROOT]],
    [
      'a path whose intermediate has the same name and another key',
      'not-issued-by-next',
      [leafOf(INTERMEDIATE), createAuthority('Intermediate', { issuer: ROOT }).certificate],
      [ROOT],
    ],
    ['bytes that are not a certificate', 'certificate-malformed', [Buffer.alloc(9)], [ROOT]],
  ])('does not trust %s (%s)', (_title, reason, x5c, anchors) => {
    expect(evaluate(x5c, anchors)).toBe(reason);
  });

  it('refuses a certificate issued by a leaf', () => {
    const signer = createAuthority('Leaf', { issuer: ROOT, extensions: [basicConstraints(false)] });
    expect(evaluate([leafOf(signer), signer.certificate])).toBe('not-a-ca');
    const bare = createAuthority('Leaf', { issuer: ROOT, extensions: [] });
    expect(evaluate([leafOf(bare), bare.certificate])).toBe('not-a-ca');
  });

  it('refuses an authority without the right to sign certificates', () => {
    const extensions = [basicConstraints(true), keyUsage('leaf')];
    expect(validateIntermediate({ extensions })).toBe('not-issued-by-next');
    const anchor = createAuthority('No signer', { extensions });
    expect(evaluate([leafOf(anchor)], [anchor])).toBe('no-anchor-issued-it');
    const malformed = { ...keyUsage('authority'), value: sequence() };
    expect(validateIntermediate({ extensions: [basicConstraints(true), malformed] })).not.toBe(
      'trusted',
    );
  });

  it('accepts a version 1 anchor, which has no extensions (RFC 5280 §6.1.4 (k))', () => {
    const old = createAuthority('Old root', { version: 1, extensions: [] });
    expect(evaluate([leafOf(old)], [old])).toBe('trusted');
    const bare = createAuthority('Bare root', { extensions: [] });
    expect(evaluate([leafOf(bare)], [bare])).toBe('no-anchor-issued-it');
  });

  it('refuses a path longer than an authority allows', () => {
    const short = createAuthority('Short root', {
      extensions: [basicConstraints(true, 0), keyUsage('authority')],
    });
    const below = createAuthority('Below', { issuer: short });
    expect(evaluate([leafOf(short)], [short])).toBe('trusted');
    expect(evaluate([leafOf(below), below.certificate], [short])).toBe('no-anchor-issued-it');
    const first = createAuthority('First', {
      issuer: ROOT,
      extensions: [basicConstraints(true, 0), keyUsage('authority')],
    });
    const second = createAuthority('Second', { issuer: first });
    expect(evaluate([leafOf(second), second.certificate, first.certificate])).toBe('path-too-long');
  });

  it('refuses unknown critical extensions, including name constraints', () => {
    const constraint = { id: '2.5.29.30', critical: true, value: sequence() };
    expect(validateIntermediate({ extensions: [...AUTHORITY, constraint] })).toBe(
      'critical-extension',
    );
    const unknown = { id: '1.2.3.4', critical: true, value: sequence() };
    expect(validateIntermediate({ extensions: [...AUTHORITY, unknown] })).toBe(
      'critical-extension',
    );
  });

  it('refuses name constraints that are not critical', () => {
    const constraint = { id: '2.5.29.30', value: sequence() };
    expect(validateIntermediate({ extensions: [...AUTHORITY, constraint] })).toBe(
      'name-constraints',
    );
  });

  describe('the extended key usage of an authority', () => {
    const SERVER = '1.3.6.1.5.5.7.3.1';
    const TPM = '2.23.133.8.3';
    const ANY = '2.5.29.37.0';

    it.each<[string, readonly string[], readonly string[], string]>([
      ['a leaf without purposes under TLS servers', [], [SERVER], 'purpose-not-allowed'],
      ['another purpose than the authority’s', [TPM], [SERVER], 'purpose-not-allowed'],
      ['one purpose more than the authority’s', [TPM, SERVER], [SERVER], 'purpose-not-allowed'],
      ['the same purpose', [TPM], [TPM], 'trusted'],
      ['fewer purposes', [TPM], [SERVER, TPM], 'trusted'],
      ['any purpose', [], [ANY], 'trusted'],
    ])('evaluates %s', (_title, purposes, allowed, verdict) => {
      const usage = (...ids: readonly string[]) =>
        ids.length > 0 ? [extendedKeyUsage(...ids)] : [];
      const limited = createAuthority('Limited', {
        issuer: ROOT,
        extensions: [...AUTHORITY, ...usage(...allowed)],
      });
      const leaf = leafOf(limited, {
        extensions: [basicConstraints(false), ...usage(...purposes)],
      });
      expect(evaluate([leaf, limited.certificate])).toBe(verdict);
      // An anchor is trusted as it is.
      expect(evaluate([leaf, limited.certificate], [limited])).toBe('trusted');
      expect(evaluate([leaf], [limited])).toBe('trusted');
    });
  });

  it('accepts critical names and policies, as TPMs have them, but not required policies', () => {
    const critical = (id: string) => ({ id, critical: true, value: sequence() });
    const leaf = (id: string) => leafOf(ROOT, { extensions: [critical(id)] });
    expect(evaluate([leaf('2.5.29.17')])).toBe('trusted');
    expect(evaluate([leaf('2.5.29.32')])).toBe('trusted');
    expect(evaluate([leaf('2.5.29.36')])).toBe('critical-extension');
  });

  it('refuses SHA-1 signatures except a leaf whose anchors require them', () => {
    expect(validateIntermediate({ hash: 'sha1' })).toBe('weak-signature');
    const leaf = leafOf(ROOT, { hash: 'sha1' });
    expect(evaluate([leaf])).toBe('weak-signature');
    const root = ROOT.certificate;
    const other = createAuthority('Other root').certificate;
    const reasonOf = (sha1Anchors: readonly Buffer[]) =>
      validateCertificatePath([leaf], { anchors: [other, root], sha1Anchors, at: AT });
    expect(reasonOf([root])).toMatchObject({ trusted: true, anchor: root });
    expect(reasonOf([other])).toEqual({ trusted: false, reason: 'no-anchor-issued-it' });
  });

  it.each([
    [1024, 'no-anchor-issued-it', 'not-issued-by-next'],
    [2048, 'trusted', 'trusted'],
  ])(
    'evaluates an authority whose RSA key has %d bits as an anchor (%s) and in the path (%s)',
    (modulusLength, asAnchor, inPath) => {
      const pair = generateKeys('rsa', { modulusLength });
      const keyPair = { alg: ALG.RS256, ...pair };
      const parts = { publicKey: pair.publicKey, extensions: AUTHORITY };
      const subject = [[['2.5.4.3', 'RSA authority']]] as const;
      const anchor = {
        name: subject,
        keyPair,
        certificate: writeCertificate({ ...parts, subject, issuer: { name: subject, keyPair } }),
      };
      const certificate = writeCertificate({ ...parts, subject, issuer: ROOT });
      const leaf = leafOf(anchor);
      expect(evaluate([leaf], [anchor])).toBe(asAnchor);
      expect(evaluate([leaf, certificate])).toBe(inPath);
    },
  );

  it.each([
    ['brainpoolP512r1', 'trusted'],
    ['secp224r1', 'trusted'],
    ['prime192v1', 'not-issued-by-next'],
    ['sect571r1', 'not-issued-by-next'],
  ])('evaluates a certificate whose authority has a key on %s: %s', (namedCurve, verdict) => {
    const keyPair = { alg: ALG.ES256, ...generateKeys('ec', { namedCurve }) };
    const { name } = INTERMEDIATE;
    const { publicKey } = keyPair;
    const parts = { subject: name, publicKey, issuer: ROOT, extensions: AUTHORITY };
    const certificate = writeCertificate(parts);
    expect(evaluate([leafOf({ name, keyPair, certificate }), certificate])).toBe(verdict);
  });

  it('terminates on a loop of two authorities', () => {
    const first = createAuthority('Loop');
    const second = createAuthority('Second', { issuer: first });
    const back = writeCertificate({
      subject: first.name,
      publicKey: first.keyPair.publicKey,
      issuer: second,
      extensions: AUTHORITY,
    });
    const loop = [leafOf(second), second.certificate, back, second.certificate];
    expect(evaluate(loop)).toBe('no-anchor-issued-it');
  });

  describe('the validity of a certificate path', () => {
    const notBefore = new Date('2026-01-01T00:00:00Z');
    const notAfter = new Date('2026-12-31T23:59:59Z');
    const leaf = leafOf(ROOT, { notBefore, notAfter });

    it.each<[string, Date, string]>([
      ['in the first second of its validity', notBefore, 'trusted'],
      ['in the last second of its validity', notAfter, 'trusted'],
      ['before its validity', new Date(notBefore.getTime() - 1000), 'not-yet-valid'],
      ['after its validity', new Date(notAfter.getTime() + 1000), 'expired'],
    ])('evaluates a certificate path %s', (_title, at, verdict) => {
      expect(evaluate([leaf], [ROOT], at)).toBe(verdict);
    });

    it('refuses a path with an expired intermediate', () => {
      expect(validateIntermediate({ notAfter: new Date('2025-01-01T00:00:00Z') })).toBe('expired');
    });

    it('refuses a path under an expired anchor', () => {
      const past = createAuthority('Past', { notAfter: new Date('2025-01-01T00:00:00Z') });
      expect(evaluate([leafOf(past)], [past])).toBe('no-anchor-issued-it');
    });

    it('reads validity years from 2050', () => {
      const far = leafOf(ROOT, { notAfter: new Date('2059-12-31T00:00:00Z') });
      expect(evaluate([far], [ROOT], new Date('2055-01-01T00:00:00Z'))).toBe('trusted');
    });
  });
});

describe('revoked certificates (RFC 5280 §6.1.3 (a) (3))', () => {
  const leaf = leafOf(INTERMEDIATE);
  const path = [leaf, INTERMEDIATE.certificate];
  const listBy = (issuer: Authority, ...revoked: readonly Buffer[]) => {
    const serials = revoked.map((der) => ({
      serial: Buffer.from(loadCertificate(der).serialNumber, 'hex'),
    }));
    return readRevocationList(writeRevocationList({ issuer, revoked: serials }));
  };
  const verdictBy = (...lists: readonly ReturnType<typeof listBy>[]) => {
    const anchors = [ROOT.certificate, ATTACKER.certificate];
    const policy = { anchors, at: AT, lists: new RevocationLists(lists) };
    return validateCertificatePath(path, policy).reason ?? 'trusted';
  };

  it('refuses a path whose leaf or intermediate is revoked', () => {
    expect(verdictBy()).toBe('trusted');
    expect(verdictBy(listBy(INTERMEDIATE, leaf))).toBe('revoked');
    expect(verdictBy(listBy(ROOT), listBy(ROOT, INTERMEDIATE.certificate))).toBe('revoked');
  });

  it('ignores the revocation list of another authority, even one with the same name', () => {
    expect(verdictBy(listBy(ROOT, leaf))).toBe('trusted');
    expect(verdictBy(listBy(ATTACKER, INTERMEDIATE.certificate))).toBe('trusted');
  });

  it('does not check an anchor for revocation', () => {
    const lists = new RevocationLists([listBy(ROOT, INTERMEDIATE.certificate)]);
    const policy = { anchors: [INTERMEDIATE.certificate], at: AT, lists };
    expect(validateCertificatePath(path, policy).trusted).toBe(true);
  });
});

describe('withoutRoot', () => {
  it('removes only a root at the end of a path', () => {
    const path = [leafOf(INTERMEDIATE), INTERMEDIATE.certificate].map(loadCertificate);
    expect(withoutRoot(path)).toEqual(path);
    expect(withoutRoot(path.toSpliced(1, 1, loadCertificate(ROOT.certificate)))).toHaveLength(1);
    expect(withoutRoot([...path, loadCertificate(ROOT.certificate)])).toEqual(path);
  });

  it('keeps a self-signed attestation certificate', () => {
    const alone = [loadCertificate(ROOT.certificate)];
    expect(withoutRoot(alone)).toEqual(alone);
  });
});

describe('timeFaultOf', () => {
  it('finds an expired certificate at any position of a path', () => {
    const expired = leafOf(ROOT, { notAfter: new Date('2025-01-01T00:00:00Z') });
    expect(timeFaultOf([leafOf(ROOT), expired], AT)).toBe('expired');
    expect(timeFaultOf([leafOf(ROOT)], AT)).toBeUndefined();
  });
});

function leafOf(issuer: Authority, parts: Partial<CertificateParts> = {}): Buffer {
  const { publicKey } = createKeyPair(ALG.ES256);
  const extensions = [basicConstraints(false)];
  return writeCertificate({
    subject: ATTESTATION_SUBJECT,
    issuer,
    extensions,
    ...parts,
    publicKey,
  });
}

function evaluate(x5c: readonly Buffer[], anchors: readonly Authority[] = [ROOT], at = AT) {
  const verdict = validateCertificatePath(x5c, {
    anchors: anchors.map((anchor) => anchor.certificate),
    at,
  });
  return verdict.trusted ? 'trusted' : verdict.reason;
}

/** A leaf under an intermediate with the given parts, checked under the root. */
function validateIntermediate(parts: Partial<CertificateParts>) {
  const intermediate = createAuthority('Other intermediate', {
    issuer: ROOT,
    extensions: AUTHORITY,
    ...parts,
  });
  return evaluate([leafOf(intermediate), intermediate.certificate]);
}
