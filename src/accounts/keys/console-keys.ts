import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { ChangingCall } from '../../audit/audited.js';
import { sha256 } from '../../platform/common/sha256.js';
import { Clock } from '../../platform/common/clock.js';
import { newId } from '../../platform/database/row-ids.js';
import { deleteStep, insertStep } from '../../platform/database/commit/step-of.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { KnownAccount, SignInRule } from '../../platform/access/accounts/accounts.js';
import { CeremonyError } from '../../webauthn/failure.js';
import { parseRegistration, verifyRegistration } from '../../webauthn/registration.js';
import { attestationResponse } from '../../webauthn/response-json.js';
import { AccountRows } from '../account-rows.js';
import { SESSION_GOES_ON, endOtherSessions, sessionOf } from '../sessions/session.statements.js';
import { ANSWER_MS, ConsoleChallenges } from './console-challenges.js';
import type { ConsoleHost, KeyResponse, NewKey } from './key-ceremony.js';
import { ConsoleKey } from './console-key.entity.js';
import { SET_RULE, SIGNS_IN_WITHOUT, TAKES_A_KEY } from './key.statements.js';

/** EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];
const MAX_KEYS = 20;

const notAdded = (cause?: unknown) => new ApiError('E0045R', 'accountKey.notAdded', {}, { cause });

/** Adds and removes the keys of the administration's accounts. */
@Injectable()
export class ConsoleKeys {
  constructor(
    @InjectRepository(ConsoleKey) private readonly keys: Repository<ConsoleKey>,
    private readonly rows: AccountRows,
    private readonly challenges: ConsoleChallenges,
    private readonly clock: Clock,
  ) {}

  /** The keys of an account, oldest first. */
  async of(name: string): Promise<ConsoleKey[]> {
    const row = await this.rows.of(name);
    return row ? this.keys.find({ where: { accountId: row.id }, order: { id: 'ASC' } }) : [];
  }

  /** Finds a key by its ID, Base64URL. */
  async find(id: string): Promise<ConsoleKey | undefined> {
    return (await this.keys.findOneBy({ id: Buffer.from(id, 'base64url') })) ?? undefined;
  }

  /** Finds a key by its credential ID at a host, with its account. */
  async findByCredential(credentialId: Buffer, domain: string): Promise<ConsoleKey | undefined> {
    const found = await this.keys.findOne({
      where: { credentialHash: sha256(credentialId), domain },
      relations: { account: true },
    });
    return found ?? undefined;
  }

  /**
   * Returns creation options (W3C WebAuthn L3 §5.1.8) for the page's script. Creates the row of an account of the
   * configuration if it has none.
   */
  async creationOptions({ account, mark }: KnownAccount, { domain }: ConsoleHost) {
    const row = (await this.rows.of(account.name)) ?? (await this.rows.add(account.name));
    const keys = await this.keys.findBy({ accountId: row.id });
    return {
      rp: { id: domain, name: 'ServiceFido' },
      user: { id: row.id.toString('base64url'), name: account.name, displayName: account.name },
      challenge: this.challenges.issue('add', challengeBinding(mark)),
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      timeout: ANSWER_MS,
      excludeCredentials: keys.map(consoleKeyDescriptor),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      attestation: 'none',
    };
  }

  /**
   * Adds a key that was created with the creation options (W3C WebAuthn L3 §7.1), unless its owner's session has
   * ended, for example by a reset, which deletes all keys.
   *
   * @returns the key
   * @throws ApiError E0045R
   */
  async add(
    { account: by, commit }: ChangingCall,
    known: KnownAccount,
    key: NewKey,
  ): Promise<ConsoleKey> {
    const { key: added, steps } = await this.prepare(known, key);
    const unit = [SESSION_GOES_ON.mustChange({ id: sessionOf(by) }), ...steps];
    if (!(await commit(unit, { detail: { key: key.name } }))) throw notAdded();
    return added;
  }

  /**
   * Verifies a new key, and returns the steps that add it.
   *
   * @throws ApiError E0045R
   */
  async prepare({ account, mark }: KnownAccount, { host, response: sent, name }: NewKey) {
    const row = await this.rows.of(account.name);
    if (!row) throw notAdded();
    if ((await this.of(account.name)).length >= MAX_KEYS) {
      throw new ApiError('E0045R', 'accountKey.tooMany', { most: MAX_KEYS });
    }
    const { challenge, verified } = this.registrationOf(sent, host, challengeBinding(mark));
    const now = this.clock.now();
    const key: ConsoleKey = {
      id: newId(now),
      accountId: row.id,
      domain: host.domain,
      name,
      credentialHash: sha256(verified.credentialId),
      credentialId: verified.credentialId,
      publicKey: verified.publicKey,
      signCount: verified.signCount,
      backupEligible: verified.backupEligible,
      verifiesUser: verified.userVerified,
      uvInitialized: verified.userVerified,
      createdAt: now,
      usedAt: null,
      transports: sent.transports.join(',').slice(0, 100),
    };
    const steps = [
      TAKES_A_KEY.mustChange({ id: row.id, most: MAX_KEYS }),
      ...this.challenges.use(challenge),
      insertStep(this.keys, key),
    ];
    return { key, steps };
  }

  /**
   * Removes a key, and ends all other sessions of the account, since the key may have begun some of them.
   *
   * @throws ApiError E0044R for an unknown key; E0045R for the last one of an account that needs one
   */
  async remove({ account: by, commit }: ChangingCall, id: string): Promise<void> {
    const keys = await this.of(by.name);
    const key = keys.find((one) => one.id.toString('base64url') === id);
    if (!key) throw new ApiError('E0044R', 'accountKey.unknown');
    const unit = [
      SIGNS_IN_WITHOUT.mustChange({ id: key.accountId, keyId: key.id }),
      deleteStep(this.keys, { id: key.id }),
      endOtherSessions(by),
    ];
    if (await commit(unit, { detail: { key: key.name } })) return;
    throw new ApiError('E0045R', 'accountKey.last');
  }

  /**
   * Sets the sign-in rule of an account.
   *
   * @throws ApiError E0045R if the account has no password or no suitable key; E0053R if the rule was changed since
   *   the account was read
   */
  async setRule({ commit }: ChangingCall, known: KnownAccount, rule: SignInRule): Promise<void> {
    const { account, needsKey, signIn, password, identity } = known;
    if (identity !== null) throw new ApiError('E0045R', 'account.ofProvider');
    if (password === '' && rule !== 'key') throw new ApiError('E0045R', 'account.noPassword');
    if (needsKey && rule === 'password') throw new ApiError('E0045R', 'account.keyDemanded');
    const before = ruleOf({ needsKey, signIn });
    const row = await this.rows.of(account.name);
    const unit = row && [SET_RULE.mustChange({ id: row.id, before, rule })];
    const detail = { 'rule before': signIn, 'rule after': rule };
    if (unit && (await commit(unit, { detail }))) return;
    const now = (await this.rows.of(account.name)) ?? { needsKey, signIn };
    if (ruleOf(now) !== before) throw new ApiError('E0053R', 'resource.changed');
    if (rule === 'password') return;
    throw new ApiError(
      'E0045R',
      rule === 'key' ? 'accountKey.addVerifiedFirst' : 'accountKey.addFirst',
    );
  }

  private registrationOf(sent: KeyResponse, host: ConsoleHost, binding: string) {
    try {
      const parsed = parseRegistration(attestationResponse(sent.response as never));
      const { challenge } = parsed.clientData;
      if (!this.challenges.isGood(challenge, 'add', binding)) throw notAdded();
      const { origins, rpIdHash } = host;
      const verified = verifyRegistration(parsed, {
        challenge,
        origins,
        rpIdHash,
        topOrigins: [],
        userVerificationRequired: false,
        algorithms: ALGORITHMS,
        credentialId: sent.credentialId,
        at: new Date(this.clock.now()),
      });
      return { challenge, verified };
    } catch (error) {
      if (error instanceof CeremonyError) throw notAdded(error);
      throw error;
    }
  }
}

/** The effective rule: if a second factor is required, the password alone is not enough. */
const ruleOf = ({ needsKey, signIn }: Pick<KnownAccount, 'needsKey' | 'signIn'>): SignInRule =>
  needsKey && signIn === 'password' ? 'password+key' : signIn;

/** Binds a challenge to the account and, for a key beside another one, to that key. */
export function challengeBinding(mark: Buffer, beside?: ConsoleKey): string {
  const parts = beside ? [mark, beside.id] : [mark];
  return parts.map((bytes) => bytes.toString('base64url')).join(' ');
}

/** The descriptor of a key in options (W3C WebAuthn L3 §5.8.3). */
export const consoleKeyDescriptor = ({ credentialId, transports }: ConsoleKey) => ({
  type: 'public-key',
  id: credentialId.toString('base64url'),
  ...(transports !== '' && { transports: transports.split(',') }),
});
