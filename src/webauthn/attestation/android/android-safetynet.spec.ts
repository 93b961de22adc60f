import { createAttestedKey } from '../../../../test/support/authenticator/attested-key.js';
import type { CborInput } from '../../../../packages/testing/src/cbor-writer.js';
import {
  ATTESTATION_SUBJECT,
  basicConstraints,
  type CertificateParts,
  name,
  OID,
  writeCertificate,
} from '../../../../packages/testing/src/certificate-writer.js';
import * as der from '../../../../packages/testing/src/der-writer.js';
import { failureOf } from '../../../../test/support/authenticator/failure-of.js';
import { ALG, createKeyPair, signWith } from '../../../../packages/testing/src/key-pair.js';
import { attestationRoot } from '../../../../packages/testing/src/attester.js';
import { base64url, sha256 } from '../../../../packages/testing/src/structures.js';
import type { Failure } from '../../failure.js';
import { verifyAndroidSafetyNet } from './android-safetynet.js';

const AT = new Date('2021-06-01T12:00:00Z');
const SUBJECT = createAttestedKey();
const NONCE = sha256(Buffer.concat([SUBJECT.authData, SUBJECT.clientDataHash])).toString('base64');
const GOOGLE = createKeyPair(ALG.RS256);
const DNS_NAME = 0x82;

const PROPER = certificate();
const HEADER = { alg: 'RS256', x5c: [PROPER.toString('base64')] };
const PAYLOAD = {
  nonce: NONCE,
  timestampMs: AT.getTime() - 1000,
  ctsProfileMatch: true,
  basicIntegrity: true,
};

type Json = Readonly<Record<string, unknown>>;

const part = (json: unknown) => base64url(Buffer.from(JSON.stringify(json)));

describe('android-safetynet attestation (WebAuthn L3 §8.5)', () => {
  const genuine = jws(HEADER, PAYLOAD);
  const [header = '', payload = '', signature = ''] = genuine.split('.');

  it('accepts a recent SafetyNet response about a certified device', () => {
    const response = Buffer.from(genuine);
    expect(verify({ response })).toEqual({ type: 'basic', trustPath: [PROPER] });
  });

  it('refuses android-safetynet when the current time is unknown', () => {
    const input = { ...SUBJECT.input(new Map([['ver', '1']])), acceptsEndedFormats: true };
    expect(failureOf(() => verifyAndroidSafetyNet(input))).toBe('attestation-format-unknown');
  });

  it('refuses android-safetynet by default, because its service has ended', () => {
    const statement = new Map<string, CborInput>([
      ['ver', '1'],
      ['response', Buffer.from(genuine)],
    ]);
    const input = { ...SUBJECT.input(statement), at: AT };
    expect(failureOf(() => verifyAndroidSafetyNet(input))).toBe('attestation-format-unknown');
  });

  it.each<[string, CborInput]>([
    ['a number', 1],
    ['empty', ''],
    ['null', null],
  ])('refuses an android-safetynet statement whose ver is %s', (_title, ver) => {
    expect(refusal(Buffer.from(genuine), ver)).toBe('attestation-malformed');
  });

  it.each<[string, CborInput]>([
    ['text', genuine],
    ['null', null],
    ['empty', Buffer.alloc(0)],
    ['blank', Buffer.from('   ')],
    ['not a JWS', Buffer.from('x')],
    ['a JWS of two parts', Buffer.from(`${header}.${payload}`)],
    ['a JWS of four parts', Buffer.from(`${genuine}.${signature}`)],
    ['a JWS without its signature', Buffer.from(`${header}.${payload}.`)],
    ['a JWS with padding', Buffer.from(`${genuine}=`)],
    ['a JWS after bytes that are not text', Buffer.concat([Buffer.of(0xff), Buffer.from(genuine)])],
    ['a JWS whose header is an array', Buffer.from(jws([], PAYLOAD))],
    ['a JWS whose header is null', Buffer.from(jws(null, PAYLOAD))],
    ['a JWS whose payload is text', Buffer.from(jws(HEADER, 'x'))],
    ['a JWS whose payload is not JSON', Buffer.from(`${header}.e30x.${signature}`)],
    ['a JWS whose payload is not UTF-8', Buffer.from(`${header}.IsMi.${signature}`)],
  ])('refuses a SafetyNet response that is %s', (_title, response) => {
    expect(refusal(response)).toBe('attestation-malformed');
  });

  it('refuses an android-safetynet statement with a member of another format', () => {
    const members = { response: Buffer.from(genuine), alg: -257 };
    expect(failureOf(() => verify(members))).toBe('attestation-malformed');
  });

  it.each<[string, Failure, Json]>([
    ['x5c missing', 'attestation-malformed', { x5c: undefined }],
    ['x5c empty', 'attestation-malformed', { x5c: [] }],
    ['x5c as text', 'attestation-malformed', { x5c: HEADER.x5c[0] }],
    ['a number in x5c', 'attestation-malformed', { x5c: [1] }],
    ['an empty certificate', 'attestation-malformed', { x5c: [''] }],
    ['a certificate not in Base64', 'attestation-malformed', { x5c: ['*'] }],
    [
      'a certificate in Base64URL',
      'attestation-malformed',
      { x5c: [base64url(PROPER.subarray(0, 4))] },
    ],
    ['bytes that are not a certificate', 'attestation-certificate', { x5c: ['AAAA'] }],
    [
      'an intermediate that is not a certificate',
      'attestation-certificate',
      { x5c: [...HEADER.x5c, 'AAAA'] },
    ],
    ['alg none', 'attestation-algorithm', { alg: 'none' }],
    ['alg HS256', 'attestation-algorithm', { alg: 'HS256' }],
    ['alg missing', 'attestation-algorithm', { alg: undefined }],
    ['a critical member', 'attestation-malformed', { crit: ['b64'], b64: false }],
  ])('refuses a SafetyNet response whose header has %s (%s)', (_title, failure, changed) => {
    expect(refusalOf({ header: changed })).toBe(failure);
  });

  it.each<[string, Partial<CertificateParts>]>([
    ['no host', { extensions: [basicConstraints(false)] }],
    ['another host', { extensions: [hosts('attest.android.com.example')] }],
    ['a subdomain of the host', { extensions: [hosts('www.attest.android.com')] }],
    ['a wildcard', { extensions: [hosts('*.android.com')] }],
    [
      'the host in its common name only',
      { subject: name([[OID.commonName, 'attest.android.com']]), extensions: [] },
    ],
  ])('refuses a SafetyNet certificate of %s', (_title, parts) => {
    const x5c = [certificate(parts).toString('base64')];
    expect(refusalOf({ header: { x5c } })).toBe('attestation-certificate');
  });

  it('refuses a SafetyNet certificate whose key is not RSA', () => {
    const { publicKey } = createKeyPair(ALG.ES256);
    const x5c = [certificate({ publicKey }).toString('base64')];
    expect(refusalOf({ header: { x5c } })).toBe('attestation-algorithm');
  });

  it('refuses a SafetyNet payload that was not signed', () => {
    const other = Buffer.from(`${header}.${part({ ...PAYLOAD, nonce: 'x' })}.${signature}`);
    expect(refusal(other)).toBe('attestation-signature');
  });

  it.each<[string, Failure, Json]>([
    ['nonce missing', 'attestation-mismatch', { nonce: undefined }],
    ['another nonce', 'attestation-mismatch', { nonce: 'AAAA' }],
    ['ctsProfileMatch missing', 'attestation-mismatch', { ctsProfileMatch: undefined }],
    ['ctsProfileMatch false', 'attestation-mismatch', { ctsProfileMatch: false }],
    ['ctsProfileMatch as text', 'attestation-mismatch', { ctsProfileMatch: 'true' }],
    ['timestampMs missing', 'attestation-malformed', { timestampMs: undefined }],
    ['timestampMs as text', 'attestation-malformed', { timestampMs: `${AT.getTime()}` }],
    ['timestampMs in the future', 'attestation-mismatch', { timestampMs: AT.getTime() + 1 }],
    [
      'timestampMs older than a minute',
      'attestation-mismatch',
      { timestampMs: AT.getTime() - 60_001 },
    ],
  ])('refuses a SafetyNet response whose payload has %s (%s)', (_title, failure, changed) => {
    expect(refusalOf({ payload: changed })).toBe(failure);
  });

  it.each([0, 60_000])('accepts a SafetyNet response that is %d ms old', (age) => {
    expect(refusalOf({ payload: { timestampMs: AT.getTime() - age } })).toBeUndefined();
  });
});

function hosts(...names: readonly string[]) {
  return {
    id: OID.subjectAltName,
    value: der.sequence(...names.map((host) => der.element(DNS_NAME, Buffer.from(host)))),
  };
}

/** A Google certificate that is valid except for the given parts. */
function certificate(parts: Partial<CertificateParts> = {}): Buffer {
  return writeCertificate({
    subject: ATTESTATION_SUBJECT,
    issuer: attestationRoot(),
    publicKey: GOOGLE.publicKey,
    extensions: [basicConstraints(false), hosts('attest.android.com')],
    ...parts,
  });
}

function jws(header: unknown, payload: unknown): string {
  const signed = `${part(header)}.${part(payload)}`;
  return `${signed}.${base64url(signWith(GOOGLE, Buffer.from(signed)))}`;
}

function verify(members: Readonly<Record<string, CborInput>>, at: Date | undefined = AT) {
  const input = SUBJECT.input(new Map(Object.entries({ ver: '1', ...members })));
  return verifyAndroidSafetyNet({ ...input, at, acceptsEndedFormats: true });
}

function refusal(response: CborInput, ver: CborInput = '1') {
  return failureOf(() => verify({ ver, response }));
}

function refusalOf({ header = {}, payload = {} }: { header?: Json; payload?: Json }) {
  return refusal(Buffer.from(jws({ ...HEADER, ...header }, { ...PAYLOAD, ...payload })));
}
