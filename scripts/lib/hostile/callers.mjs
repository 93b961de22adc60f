import '../register-typescript.mjs';
import { setTimeout as pause } from 'node:timers/promises';
import { ORIGIN } from '../../../bench/client/authenticator.mjs';
import { Connection } from '../../../bench/client/connection.mjs';
import { attempt } from '../../../bench/client/visitor.mjs';
import { AAGUID } from './statements.mjs';

const { SoftAuthenticator } =
  await import('../../../test/support/authenticator/soft-authenticator.ts');

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
