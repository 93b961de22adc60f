import { hash } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock.js';
import { newId } from '../../platform/database/columns.js';
import { commitIdempotently } from '../../platform/database/commit/commit-idempotently.js';
import { deleteStep, insertStep } from '../../platform/database/commit/step-of.js';
import { isUniqueViolation } from '../../platform/database/commit/unique-violation.js';
import { Database } from '../../platform/database/database.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { KnownAccount, SignInRule } from '../../platform/access/accounts/accounts.js';
import { parseAuthentication, verifyAuthentication } from '../../webauthn/authentication.js';
import { checkClientData, parseClientData } from '../../webauthn/client-data.js';
import { importCoseKey } from '../../webauthn/keys/cose-key.js';
import { CeremonyError } from '../../webauthn/failure.js';
import { parseRegistration, verifyRegistration } from '../../webauthn/registration.js';
import { assertionResponse, attestationResponse } from '../../webauthn/response-json.js';
import { AccountRows } from '../accounts/account-rows.js';
import { ANSWER_MS, ConsoleChallenges } from './challenges.js';
import type { Purpose } from './challenges.js';
import type { ConsoleHost, KeyResponse } from './key-ceremony.js';
import { ConsoleKey, isUvInitialized } from './console-key.entity.js';
import { INITIALIZE_UV, SET_RULE, SIGNS_IN_WITHOUT, USE_CONSOLE_KEY } from './key.statements.js';

/** EdDSA, ES256, RS256. */
const ALGORITHMS = [-8, -7, -257];
const MAX_KEYS = 20;

const notAdded = (cause?: unknown) => new ApiError('E0045R', 'accountKey.notAdded', {}, { cause });

/** A key that somebody signed in with, and its account. */
export interface ConsoleKeySignIn {
  readonly known: KnownAccount;
  readonly key: ConsoleKey;
  /** Its user verification counted before: it may be the only factor. */
  readonly isVerified: boolean;
  /** The key beside which it was used: from now on its user verification counts. */
  readonly verified?: ConsoleKey | undefined;
}

/** What a sign-in has shown already, so that the key need not be its only factor. */
interface Companion {
  /** The account whose password was right. */
  readonly password?: KnownAccount | undefined;
  /** Another key, whose user verification does not count yet. */
  readonly key?: ConsoleKey | undefined;
}

/** Adds, uses and removes the keys of the administration's accounts. */
@Injectable()
export class ConsoleKeys {
  constructor(
    @InjectRepository(ConsoleKey) private readonly keys: Repository<ConsoleKey>,
    private readonly rows: AccountRows,
    private readonly database: Database,
    private readonly challenges: ConsoleChallenges,
    private readonly clock: Clock,
  ) {}

  /** The keys of an account, oldest first. */
  async of(name: string): Promise<ConsoleKey[]> {
    const row = await this.rows.of(name);
    return row ? this.keys.find({ where: { accountId: row.id }, order: { id: 'ASC' } }) : [];
  }

  /**
   * Creation options (W3C WebAuthn L3 §5.1.8) for the page's script. Makes the row of an account of the
   * configuration, where it has none.
   */
  async creationOptions({ account, mark }: KnownAccount, { domain }: ConsoleHost) {
    const row = (await this.rows.of(account.name)) ?? (await this.rows.add(account.name));
    const keys = await this.keys.findBy({ accountId: row.id });
    return {
      rp: { id: domain, name: 'ServiceFido' },
      user: { id: row.id.toString('base64url'), name: account.name, displayName: account.name },
      challenge: this.challenges.issue('add', wordOf(mark)),
      pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
      timeout: ANSWER_MS,
      excludeCredentials: keys.map(descriptorOf),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
      attestation: 'none',
    };
  }

  /**
   * Request options (W3C WebAuthn L3 §5.1.9): after the right password, for the keys of that account; without
   * one, for any discoverable key that verifies its user.
   */
  async requestOptions({ domain }: ConsoleHost, known?: KnownAccount) {
    const keys = known ? await this.of(known.account.name) : [];
    return {
      rpId: domain,
      challenge: this.challenges.issue(known ? 'second' : 'only', known ? wordOf(known.mark) : ''),
      timeout: ANSWER_MS,
      allowCredentials: keys.filter((key) => key.domain === domain).map(descriptorOf),
      userVerification: known ? 'preferred' : 'required',
    };
  }

  /**
   * Adds a key that was made with the creation options (W3C WebAuthn L3 §7.1).
   *
   * @throws ApiError E0045R
   */
  async add(
    { account, mark }: KnownAccount,
    host: ConsoleHost,
    { response: sent, name }: { readonly response: KeyResponse; readonly name: string },
  ): Promise<void> {
    const row = await this.rows.of(account.name);
    if (!row) throw notAdded();
    if ((await this.of(account.name)).length >= MAX_KEYS) {
      throw new ApiError('E0045R', 'accountKey.tooMany', { most: MAX_KEYS });
    }
    const { challenge, verified } = this.registrationOf(sent, host, wordOf(mark));
    const now = this.clock.now();
    const key: ConsoleKey = {
      id: newId(now),
      accountId: row.id,
      domain: host.domain,
      name,
      credentialHash: hash('sha256', verified.credentialId, 'buffer'),
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
    const unit = [...this.challenges.use(challenge), insertStep(this.keys, key)];
    const isStored = () => this.keys.existsBy({ id: key.id });
    if (!(await commitIdempotently(this.database, unit, isStored))) throw notAdded();
  }

  /** @throws ApiError E0044R for an unknown key, E0045R for the last one of an account that needs one */
  async remove({ account }: KnownAccount, id: string): Promise<ConsoleKey> {
    const keys = await this.of(account.name);
    const key = keys.find((one) => one.id.toString('base64url') === id);
    if (!key) throw new ApiError('E0044R', 'accountKey.unknown');
    const unit = [
      SIGNS_IN_WITHOUT.guard({ id: key.accountId, keyId: key.id }),
      deleteStep(this.keys, { id: key.id }),
    ];
    const isGone = async () => !(await this.keys.existsBy({ id: key.id }));
    if (await commitIdempotently(this.database, unit, isGone)) return key;
    throw new ApiError('E0045R', 'accountKey.last');
  }

  /**
   * Sets what the account must show to sign in.
   *
   * @throws ApiError E0045R where the account has no key that can do that
   */
  async setRule({ account }: KnownAccount, rule: SignInRule): Promise<void> {
    const row = await this.rows.of(account.name);
    const unit = row && [SET_RULE.guard({ id: row.id, rule })];
    const stored = unit && (await commitIdempotently(this.database, unit));
    if (stored || rule === 'password') return;
    throw new ApiError(
      'E0045R',
      rule === 'key' ? 'accountKey.addVerifiedFirst' : 'accountKey.addFirst',
    );
  }

  /**
   * Request options for a verified key of the account beside this one, which has just been used: then user
   * verification by this one counts too.
   *
   * @returns `undefined` where the account has no such key here
   */
  async optionsBeside({ domain }: ConsoleHost, { known, key }: ConsoleKeySignIn) {
    const keys = (await this.of(known.account.name)).filter(
      (one) => one.domain === domain && isUvInitialized(one) && !one.id.equals(key.id),
    );
    if (keys.length === 0) return undefined;
    return {
      rpId: domain,
      challenge: this.challenges.issue('beside', wordOf(known.mark, key)),
      timeout: ANSWER_MS,
      allowCredentials: keys.map(descriptorOf),
      userVerification: 'required',
    };
  }

  /** A key by its ID, Base64URL. */
  async find(id: string): Promise<ConsoleKey | undefined> {
    return (await this.keys.findOneBy({ id: Buffer.from(id, 'base64url') })) ?? undefined;
  }

  /**
   * Verifies that a key was used (W3C WebAuthn L3 §7.2), and notes it; one answer counts once. Beside the
   * right password, or a verified key, a key that verifies its user may be the only factor from then on;
   * before, a thief may have set its PIN.
   *
   * @returns `undefined` if anything is wrong
   */
  async signIn(
    host: ConsoleHost,
    sent: KeyResponse,
    { password, key: other }: Companion = {},
  ): Promise<ConsoleKeySignIn | undefined> {
    const key = await this.keys.findOne({
      where: {
        credentialHash: hash('sha256', sent.credentialId, 'buffer'),
        domain: host.domain,
      },
      relations: { account: true },
    });
    const known = key?.account && (await this.rows.ownerOf(key.account));
    if (!key || !known || (password && !password.mark.equals(known.mark))) return undefined;
    if (password && password.account.name !== known.account.name) return undefined;
    if (sent.userHandle && !sent.userHandle.equals(key.accountId)) return undefined;
    const isVerified = isUvInitialized(key);
    if (other && !(isVerified && isOther(key, other))) return undefined;
    const purpose: Purpose = password ? 'second' : other ? 'beside' : 'only';
    const whose = purpose === 'only' ? '' : wordOf(known.mark, other);
    const answered = this.assertionOf(sent, { host, key, purpose, whose });
    if (!answered) return undefined;
    const { signCount, userVerified } = answered.result;
    const initializes = userVerified && (isVerified || password !== undefined);
    const use = { id: key.id, signCount, uvInitialized: initializes ? 1 : null };
    const used = [
      USE_CONSOLE_KEY.guard({ ...use, usedAt: this.clock.now() }),
      ...(other ? [INITIALIZE_UV.guard({ id: other.id })] : []),
      ...this.challenges.use(answered.challenge),
    ];
    try {
      if (await this.database.commit(used)) return { known, key, isVerified, verified: other };
      Logger.warn(
        `A key of ${known.account.name} may be cloned: its counter did not rise.`,
        'Security',
      );
      return undefined;
    } catch (error) {
      if (isUniqueViolation(error)) return undefined;
      throw error;
    }
  }

  private registrationOf(sent: KeyResponse, host: ConsoleHost, whose: string) {
    try {
      const parsed = parseRegistration(attestationResponse(sent.response as never));
      const { challenge } = parsed.clientData;
      if (!this.challenges.isGood(challenge, 'add', whose)) throw notAdded();
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

  private assertionOf(
    sent: KeyResponse,
    {
      host,
      key,
      purpose,
      whose,
    }: { host: ConsoleHost; key: ConsoleKey; purpose: Purpose; whose: string },
  ) {
    try {
      const json = assertionResponse(sent.response as never);
      const { challenge } = parseClientData(json.clientDataJSON);
      if (!this.challenges.isGood(challenge, purpose, whose)) return undefined;
      const parsed = parseAuthentication(json);
      const { origins, rpIdHash } = host;
      checkClientData(parsed.clientData, {
        type: 'webauthn.get',
        challenge,
        origins,
        topOrigins: [],
      });
      const known = { key: importCoseKey(key.publicKey), backupEligible: key.backupEligible };
      const userVerificationRequired = purpose !== 'second';
      const result = verifyAuthentication(parsed, known, { rpIdHash, userVerificationRequired });
      return { challenge, result };
    } catch (error) {
      if (error instanceof CeremonyError) return undefined;
      throw error;
    }
  }
}

/** Binds a challenge to the account and, where it is for a key beside another one, to that one. */
const wordOf = (mark: Buffer, beside?: ConsoleKey): string =>
  [mark, ...(beside ? [beside.id] : [])].map((bytes) => bytes.toString('base64url')).join(' ');

const isOther = (key: ConsoleKey, other: ConsoleKey): boolean =>
  key.accountId.equals(other.accountId) && !key.id.equals(other.id);

const descriptorOf = ({ credentialId, transports }: ConsoleKey) => ({
  type: 'public-key',
  id: credentialId.toString('base64url'),
  ...(transports !== '' && { transports: transports.split(',') }),
});
