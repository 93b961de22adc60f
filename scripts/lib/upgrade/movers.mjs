import '../register-typescript.mjs';
import { setTimeout as pause } from 'node:timers/promises';
import { Admin } from '../load/admin.mjs';
import { PASSWORD } from '../own-server.mjs';

const { ServiceFido } = await import('../../../packages/node/src/index.ts');
const { Authenticator } = await import('../../../packages/testing/src/index.ts');

const PAUSE_MS = 20;
/** The other instance knows new relying parties and policies within this time. */
const KNOWN_MS = 5000;
const TENANT = 'moving';
const OLD = 'old.example';
const NEW = 'new.example';
const MOVERS = 40;
/** Somebody else has this name at the successor. */
const NAMESAKE = 'namesake@example.com';

/** A user who moves: with a key of the predecessor, and later one of the successor in the same authenticator. */
class Mover {
  authenticator = new Authenticator();

  constructor(username) {
    this.username = username;
  }

  async register(backend, domain) {
    const { username } = this;
    const options = await backend.beginRegistration({ username, displayName: username });
    const key = this.authenticator.create(options, { origin: `https://${domain}` });
    await backend.completeRegistration(key);
    return this;
  }

  /** Signs in at the successor; `isUpgrading`: and makes a key of it, if the server offers that. */
  async signIn(backend, { isUpgrading }) {
    const page = { origin: `https://${NEW}` };
    const options = await backend.beginAuthentication({ username: this.username });
    const answer = await backend.completeAuthentication(this.authenticator.get(options, page));
    if (answer.username !== this.username) {
      throw new Error(`${this.username} signed in as ${answer.username}`);
    }
    if (isUpgrading && answer.upgrade) {
      await backend.completeRegistration(this.authenticator.create(answer.upgrade, page));
    }
  }
}

/** Users of a domain that moves to another one: they sign in at the successor, some with a key that they make there. */
export class Movers {
  failures = [];
  /** The current phase of the instances, for failure messages. */
  phase = 'before the first replacement';
  signIns = 0;
  #admin;
  #backend;
  #url;
  #movers = [];
  #namesake = new Mover(NAMESAKE);
  #isRunning = false;
  #work;

  /** @param balancer in front of the instances */
  constructor(balancer) {
    this.#admin = new Admin(balancer, PASSWORD);
    this.#url = balancer.url;
  }

  /** Registers everybody at the predecessor, and begins the move. */
  async prepare() {
    const path = `/tenantapi/tenants/${TENANT}/relying-parties`;
    await this.#admin.post('/tenantapi/tenants', { tenant: TENANT, displayName: TENANT });
    const policy = { callers: 'keys' };
    for (const domain of [OLD, NEW]) await this.#admin.post(path, { domain, policy });
    await pause(KNOWN_MS);
    const key = { name: 'movers', tenant: TENANT, scopes: ['ceremonies', 'users:read'] };
    const { body } = await this.#admin.post('/tenantapi/keys', key);
    const backendOf = (relyingParty) =>
      new ServiceFido({ baseUrl: this.#url, key: body.secret, relyingParty });
    const old = backendOf(OLD);
    this.#backend = backendOf(NEW);
    for (let n = 0; n < MOVERS; n += 1) {
      this.#movers.push(await new Mover(`mover-${n}@example.com`).register(old, OLD));
    }
    await this.#namesake.register(old, OLD);
    await new Mover(NAMESAKE).register(this.#backend, NEW);
    await this.#admin.send('PATCH', `${path}/${NEW}`, JSON.stringify({ predecessor: OLD }));
    await pause(KNOWN_MS);
  }

  start() {
    this.#isRunning = true;
    this.#work = this.#signInByTurns();
  }

  /** Everybody signs in once more, and the namesake must not. @returns the figures */
  async stop() {
    this.#isRunning = false;
    await this.#work;
    for (const mover of this.#movers) await this.#signIn(mover, { isUpgrading: true });
    // The server offers the key of the other user, which this authenticator does not have.
    const result = await this.#namesake
      .signIn(this.#backend, { isUpgrading: false })
      .then(() => 'signed in', ({ name }) => name); // prettier-ignore
    if (result !== 'NotAllowedError') this.failures.push(`${NAMESAKE} of ${OLD}: ${result}`);
    const { body } = await this.#admin.get(`/userapi/adoption?relyingParty=${NEW}`);
    const { moved, collisions } = body.move;
    if (moved !== MOVERS || collisions !== 1) {
      this.failures.push(`${moved} of ${MOVERS} moved, ${collisions} collisions instead of one`);
    }
    return { 'sign-ins of movers': this.signIns, moved };
  }

  async #signInByTurns() {
    for (let n = 0; this.#isRunning; n += 1) {
      // Three quarters of them never make a key of the successor while instances are replaced.
      await this.#signIn(this.#movers[n % MOVERS], { isUpgrading: n % 4 === 0 });
      await pause(PAUSE_MS);
    }
  }

  async #signIn(mover, options) {
    try {
      await mover.signIn(this.#backend, options);
      this.signIns += 1;
    } catch (error) {
      this.failures.push(`${this.phase}: ${mover.username}: ${error.message}`);
    }
  }
}
