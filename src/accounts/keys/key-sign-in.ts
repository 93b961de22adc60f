import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { sha256 } from '../../platform/common/sha256.js';
import { isUniqueViolation } from '../../platform/database/commit/unique-violation.js';
import { Database } from '../../platform/database/database.js';
import type { KnownAccount } from '../../platform/access/accounts/accounts.js';
import { parseAuthentication, verifyAuthentication } from '../../webauthn/authentication.js';
import { checkClientData, parseClientData } from '../../webauthn/client-data.js';
import { importCoseKey } from '../../webauthn/keys/cose-key.js';
import { CeremonyError } from '../../webauthn/failure.js';
import { assertionResponse } from '../../webauthn/response-json.js';
import { AccountRows } from '../account-rows.js';
import { ANSWER_MS, ConsoleChallenges, type ChallengePurpose } from './console-challenges.js';
import type { ConsoleHost, KeyResponse } from './key-ceremony.js';
import { isUvInitialized, type ConsoleKey } from './console-key.entity.js';
import { ConsoleKeys, consoleKeyDescriptor, challengeBinding } from './console-keys.js';
import { INITIALIZE_UV, USE_CONSOLE_KEY } from './key.statements.js';

export interface ConsoleKeySignIn {
  readonly known: KnownAccount;
  readonly key: ConsoleKey;
  /** Whether its user verification already counted: then it may be the only factor. */
  readonly isVerified: boolean;
  /** The key beside which it was used: from now on its user verification counts. */
  readonly verified?: ConsoleKey | undefined;
}

/** The other factor of a sign-in, with which the key need not be the only one. */
interface Companion {
  /** The account whose password was correct, or which the OpenID provider has vouched for. */
  readonly password?: KnownAccount | undefined;
  /** The sign-in at the OpenID provider that the key completes. */
  readonly pending?: string | undefined;
  /** The ID (Base64URL) of another key, whose user verification does not count yet. */
  readonly beside?: string | undefined;
}

@Injectable()
export class KeySignIn {
  private readonly logger = new Logger(KeySignIn.name);

  constructor(
    private readonly keys: ConsoleKeys,
    private readonly rows: AccountRows,
    private readonly database: Database,
    private readonly challenges: ConsoleChallenges,
    private readonly clock: Clock,
  ) {}

  /**
   * Returns request options (W3C WebAuthn L3 §5.1.9): after a correct password, for the keys of that account;
   * otherwise for any discoverable key that verifies its user.
   *
   * @param pending the sign-in at the OpenID provider that the key completes
   */
  async requestOptions({ domain }: ConsoleHost, known?: KnownAccount, pending?: string) {
    const keys = known ? await this.keys.of(known.account.name) : [];
    const companion = { password: known, pending };
    return {
      rpId: domain,
      challenge: this.challenges.issue(purposeOf(companion), bindingOf(companion)),
      timeout: ANSWER_MS,
      allowCredentials: keys.filter((key) => key.domain === domain).map(consoleKeyDescriptor),
      userVerification: known ? 'preferred' : 'required',
    };
  }

  /**
   * Returns request options for a verified key of the account beside this one, which has just been used: then
   * user verification by this one counts too.
   *
   * @returns `undefined` if the account has no such key here
   */
  async optionsBeside({ domain }: ConsoleHost, { known, key }: ConsoleKeySignIn) {
    const keys = (await this.keys.of(known.account.name)).filter(
      (one) => one.domain === domain && isUvInitialized(one) && !one.id.equals(key.id),
    );
    if (keys.length === 0) return undefined;
    return {
      rpId: domain,
      challenge: this.challenges.issue('beside', challengeBinding(known.mark, key)),
      timeout: ANSWER_MS,
      allowCredentials: keys.map(consoleKeyDescriptor),
      userVerification: 'required',
    };
  }

  /**
   * Verifies that a key was used (W3C WebAuthn L3 §7.2), and records the use; an answer is valid once. Beside
   * the correct password, or a verified key, a key that verifies its user may be the only factor from then
   * on; before that, a thief may have set its PIN.
   *
   * @returns `undefined` if any check fails
   */
  async signIn(
    host: ConsoleHost,
    sent: KeyResponse,
    companion: Companion = {},
  ): Promise<ConsoleKeySignIn | undefined> {
    const { password, beside } = companion;
    const other = beside === undefined ? undefined : await this.keys.find(beside);
    if (beside !== undefined && !other) return undefined;
    const key = await this.keys.findByCredential(sent.credentialId, host.domain);
    const known = key?.account && (await this.rows.ownerOf(key.account));
    if (!key || !known || (password && !password.mark.equals(known.mark))) return undefined;
    if (password && password.account.name !== known.account.name) return undefined;
    if (sent.userHandle && !sent.userHandle.equals(key.accountId)) return undefined;
    const isVerified = isUvInitialized(key);
    if (other && !(isVerified && isOther(key, other))) return undefined;
    const binding = other ? challengeBinding(known.mark, other) : bindingOf(companion);
    const answered = this.assertionOf(sent, host, key, purposeOf(companion), binding);
    if (!answered) return undefined;
    const { signCount, userVerified } = answered.result;
    const initializes = userVerified && (isVerified || password !== undefined);
    const use = { id: key.id, signCount, uvInitialized: initializes ? 1 : null };
    const used = [
      USE_CONSOLE_KEY.mustChange({ ...use, usedAt: this.clock.now() }),
      ...(other ? [INITIALIZE_UV.mustChange({ id: other.id })] : []),
      ...this.challenges.use(answered.challenge),
    ];
    try {
      if (await this.database.commit(used)) return { known, key, isVerified, verified: other };
      this.logger.warn(`A key of ${known.account.name} may be cloned: its counter did not rise.`);
      return undefined;
    } catch (error) {
      if (isUniqueViolation(error)) return undefined;
      throw error;
    }
  }

  private assertionOf(
    sent: KeyResponse,
    { origins, rpIdHash }: ConsoleHost,
    key: ConsoleKey,
    purpose: ChallengePurpose,
    binding: string,
  ) {
    try {
      const json = assertionResponse(sent.response as never);
      const { challenge } = parseClientData(json.clientDataJSON);
      if (!this.challenges.isGood(challenge, purpose, binding)) return undefined;
      const parsed = parseAuthentication(json);
      checkClientData(parsed.clientData, {
        type: 'webauthn.get',
        challenge,
        origins,
        topOrigins: [],
      });
      const known = { key: importCoseKey(key.publicKey), backupEligible: key.backupEligible };
      const userVerificationRequired = purpose === 'only' || purpose === 'beside';
      const result = verifyAuthentication(parsed, known, { rpIdHash, userVerificationRequired });
      return { challenge, result };
    } catch (error) {
      if (error instanceof CeremonyError) return undefined;
      throw error;
    }
  }
}

function purposeOf({ password, pending, beside }: Companion): ChallengePurpose {
  if (password) return pending === undefined ? 'second' : 'provider';
  return beside === undefined ? 'only' : 'beside';
}

function bindingOf({ password, pending }: Companion): string {
  if (!password) return '';
  const mark = challengeBinding(password.mark);
  return pending === undefined ? mark : `${mark} ${sha256(pending).toString('base64url')}`;
}

const isOther = (key: ConsoleKey, other: ConsoleKey): boolean =>
  key.accountId.equals(other.accountId) && !key.id.equals(other.id);
