import './register-typescript.mjs';
import { setTimeout as pause } from 'node:timers/promises';
import { ORIGIN } from '../../bench/client/authenticator.mjs';
import { Connection } from '../../bench/client/connection.mjs';
import { attempt } from '../../bench/client/visitor.mjs';

const authenticators = '../../test/support/authenticator';
const { SoftAuthenticator } = await import(`${authenticators}/soft-authenticator.ts`);
const { STATEMENTS, attestationRoot } = await import(`${authenticators}/statements.ts`);
const { ALG, createKeyPair } = await import(`${authenticators}/key-pair.ts`);
const { ATTESTATION_SUBJECT, aaguidExtension, basicConstraints, keyUsage, name, writeCertificate } =
  await import(`${authenticators}/certificate-writer.ts`);

/** The model that hostile registrations claim. */
const AAGUID = Buffer.from('5e1f1d0a7e57400080000000000000fd', 'hex');

/** OpenSSL verifies P-256 in a twentieth of the time that P-521 takes. */
const [p256, p521] = [ALG.ES256, ALG.ES512].map(createKeyPair);

/** The most expensive statements for a server, within the limits and beyond them; all genuine. */
export const DEAREST = [
  ['compound of 8 × 2 certificates, P-256', compound({ keyPair: p256, certificates: 2 })],
  ['compound of 8 × 2 certificates, P-521', compound({ keyPair: p521, certificates: 2 })],
  ['compound of 8 × 8 certificates, P-256', compound({ keyPair: p256, certificates: 8 })],
  ['path of 8 certificates, P-521', packed({ keyPair: p521, certificates: 8 })],
];

/** The anchor of the certificate paths. */
export const anchor = () => attestationRoot().certificate;

/** Sends registrations at a fixed rate, regardless of their duration, from the given number of addresses in turn. */
export class HostileCallers {
  /** The number of answers by code, or by status if successful. */
  answers = new Map();
  #seconds = 0;
  #idle = [];
  #serial = 0;
  #attestation;
  #port;
  #addresses;

  /** @param attestation creates the statement of each registration */
  constructor({ port, addresses, attestation }) {
    this.#port = port;
    this.#addresses = addresses;
    this.#attestation = attestation;
  }

  /** The number of answers. */
  get count() {
    return [...this.answers.values()].reduce((sum, times) => sum + times, 0);
  }

  /** The number of registrations per second of their turns: fewer than requested if this machine is busy. */
  get perSecond() {
    return this.count / this.#seconds;
  }

  /** Continues until the work is done, and returns its result. */
  async during(work, perSecond) {
    let done = false;
    const answer = work().finally(() => (done = true));
    const calls = [];
    const began = performance.now();
    while (!done) {
      calls.push(this.#register());
      const next = began + (calls.length * 1000) / perSecond;
      await pause(Math.max(0, next - performance.now()));
    }
    await Promise.all(calls);
    this.#seconds += (performance.now() - began) / 1000;
    for (const connection of this.#idle.splice(0)) connection.close();
    return answer;
  }

  async #register() {
    const serial = (this.#serial += 1);
    const connection = this.#idle.pop() ?? new Connection(this.#port);
    const username = `hostile-${serial}-${performance.now()}`;
    const begin = { username, displayName: 'x', attestation: 'direct' };
    const attester = { keyPair: undefined, x5c: [] };
    const device = { aaguid: AAGUID, attestation: this.#attestation, attester };
    const create = (_, begun) => new SoftAuthenticator(device).create(begun, { origin: ORIGIN });
    const address = `X-Forwarded-For: 198.51.100.${serial % this.#addresses}\r\n`;
    const answer = await attempt(connection, 'register', begin, create, address);
    const { errorCode = answer.status } = JSON.parse(answer.body);
    this.answers.set(errorCode, (this.answers.get(errorCode) ?? 0) + 1);
    this.#idle.push(connection);
  }
}

function compound(kind) {
  const parts = Array.from({ length: 8 }, () => packed(kind));
  const write = (part, input) => new Map(Object.entries(part(input)));
  return (input) => ({ fmt: 'compound', attStmt: parts.map((part) => write(part, input)) });
}

function packed({ keyPair, certificates }) {
  const attester = { keyPair, x5c: path(keyPair, certificates) };
  return (input) => STATEMENTS.packed({ ...input, attester });
}

/** A leaf and authorities up to the root, which is not included. */
function path(keyPair, certificates) {
  const { publicKey } = keyPair;
  let issuer = attestationRoot();
  const x5c = [];
  for (let n = certificates - 1; n > 0; n -= 1) {
    const subject = name([['2.5.4.3', `Authority ${n}`]]);
    const extensions = [basicConstraints(true), keyUsage('authority')];
    x5c.unshift(writeCertificate({ issuer, subject, extensions, publicKey }));
    issuer = { name: subject, keyPair };
  }
  const extensions = [basicConstraints(false), aaguidExtension(AAGUID)];
  x5c.unshift(writeCertificate({ issuer, subject: ATTESTATION_SUBJECT, extensions, publicKey }));
  return x5c;
}
