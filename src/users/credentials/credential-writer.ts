import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { unlessTaken } from '../../platform/database/commit/unique-violation.js';
import { newId } from '../../platform/database/columns.js';
import { Database } from '../../platform/database/database.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope } from '../../platform/database/scope.js';
import { EVENT_OF_CEREMONY } from '../../events/event.statements.js';
import { eventRow, ledgerStep, type Client } from '../../events/ledger.js';
import { receiptStep, type AgreedTransaction } from '../../events/receipts/receipts.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AttestationAuthorities, attestationStep } from '../attestations/attestations.js';
import { replaceSearchWords, wordSteps, type Named } from '../search/search-word-steps.js';
import { DISABLE_CREDENTIAL, EVENT_OF_ENABLED_CREDENTIAL } from '../change.statements.js';
import { credentialHashOf, type CredentialFacts } from './credential-reader.js';
import {
  CREDENTIAL_IDS_OF_USER,
  LEARN_BACKUP,
  RECORD_RISING_USE,
  RECORD_USE,
} from './credential.statements.js';
import { disablingText } from './key-state.js';
import {
  insertCredential,
  insertUser,
  renameUser,
  type NewCredential,
  type RegisteringUser,
  type Terms,
} from './registration-steps.js';

/** Most credentials that one user can have. */
export const MAX_CREDENTIALS = 100;

export interface CredentialUse {
  readonly signCount: number;
  readonly backedUp: boolean;
  readonly backupEligible: boolean;
  /** The user verification of the key counts from now on. */
  readonly initializesUv: boolean;
  /** The second factor beside the key, where the begin call brought one. */
  readonly secondFactor?: SecondFactorName | undefined;
  readonly ceremony: Buffer;
  /** Take a counter that did not rise, too (policies `warn` and `off`). */
  readonly anyCounter: boolean;
  /** Of a transaction that it agreed to. */
  readonly receipt?: AgreedTransaction | undefined;
  /** Goes along with it, in the same unit: it is recorded only if this is stored. */
  readonly along?: readonly Step[];
  readonly client?: Client | undefined;
  /** Called where the connection breaks and it is tried again: a later sign-in may be stored before it. */
  readonly onConnectionLost?: () => void;
}

/** What can accompany a key in a sign-in: detail of the event `second-factor`. */
export type SecondFactorName = 'token' | 'invitation' | 'application';

const USUAL_TERMS: Terms = { cap: MAX_CREDENTIALS, reports: [] };

/** IDs of all of a user's credentials, disabled ones too. */
type CredentialIds = readonly Buffer[];

/** A ceremony that a unit completes. */
interface Completion {
  readonly rp: RelyingParty;
  readonly userId: Buffer;
  readonly ceremony: Buffer;
  /** Of the events that the unit appends, one of which names the ceremony. */
  readonly eventIds: readonly Buffer[];
  /** See `CommitOptions`. */
  readonly onConnectionLost?: (() => void) | undefined;
}

/**
 * Writes users and credentials; each change and its ledger event are one unit. The event of a completed ceremony names
 * it uniquely: a unit whose answer was lost finds its own event, and a ceremony that is handed out again is refused.
 * What the four calls store returns the IDs of the user's credentials as the unit leaves them, since an answer names
 * them all.
 */
@Injectable()
export class CredentialWriter {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly authorities: AttestationAuthorities,
  ) {}

  /**
   * Stores a new credential, and its user when this is the first one; a user who exists is given the
   * display name of this registration.
   *
   * @returns `undefined` when the credential exists, the user has changed since the begin call, has as
   *   many as are allowed, one of the same device name, or not the one that vouches, what it uses is
   *   used up, or the relying party is closed; nothing is stored then
   */
  async register(
    rp: RelyingParty,
    user: RegisteringUser,
    credential: NewCredential,
    { cap, vouchedBy, uses = [], reports, client }: Terms = USUAL_TERMS,
  ): Promise<CredentialIds | undefined> {
    const at = this.clock.now();
    const userId = user.id ?? user.newId ?? newId();
    const credentialHash = credentialHashOf(credential.credentialId);
    const id = newId();
    const context = { rp, userId, at };
    const { username, displayName } = user;
    const facts = { at, relyingParty: rp, user: { id: userId, username } };
    if (credential.kept) await this.authorities.keep(credential.kept.shared);
    const { ceremony } = credential;
    const events = ledgerStep(
      ...(user.id ? [] : [{ kind: 'user-created' as const, ...facts }]),
      { kind: 'registration', credentialHash, client, ceremony, ...facts },
      ...reports.map(({ rule: detail, code }) => {
        return { kind: 'policy' as const, detail, code, credentialHash, ...facts };
      }),
    );
    const unit = [
      ...uses,
      ...(user.id ? [] : [insertUser(context, user)]),
      ...insertCredential(
        { id, userHandle: user.userHandle, cap, vouchedBy, ...context },
        credential,
      ),
      ...(credential.kept ? [attestationStep(rp, id, credential.kept)] : []),
      ...(user.id && user.renamed ? [renameUser(context, user)] : []),
      ...this.wordsOf(user, { id: userId, relyingParty: rp, username, displayName }),
      events,
    ];
    return this.commit(unit, { rp, userId, ceremony, eventIds: events.eventIds });
  }

  /**
   * Records a sign-in, if the credential still permits it: enabled, its counter rising, this
   * ceremony not applied before, and the relying party not closed meanwhile; and if what goes along can be
   * stored.
   *
   * @returns `undefined` when it does not; nothing is stored then
   */
  recordUse(
    rp: RelyingParty,
    credential: CredentialFacts,
    use: CredentialUse,
  ): Promise<CredentialIds | undefined> {
    const at = this.clock.now();
    const { userId } = credential;
    const { ceremony, client, secondFactor } = use;
    const facts = { ...factsOf(rp, credential, at), client };
    const event = ledgerStep(
      { kind: 'authentication', ...facts, ceremony },
      ...(secondFactor ? [{ kind: 'second-factor' as const, detail: secondFactor, ...facts }] : []),
    );
    const unit: Step[] = [
      useStep(rp, credential, { at, ...use }),
      ...(use.along ?? []),
      ...(credential.backupEligible === undefined ? [learnStep(rp, credential, use)] : []),
      event,
      ...(use.receipt ? [receiptStep(rp.successor ?? rp, at, use.receipt)] : []),
    ];
    const { onConnectionLost } = use;
    const { eventIds } = event;
    return this.commit(unit, { rp, userId, ceremony, eventIds, onConnectionLost });
  }

  /** Whether a sign-in or registration that was stored has completed this ceremony. */
  async isCompleted(rp: RelyingParty, ceremony: Buffer): Promise<boolean> {
    return (await this.eventOf(rp, ceremony)) !== undefined;
  }

  /** Records a counter that did not rise, and disables the credential when the policy says so. */
  async recordCloneAlarm(
    rp: RelyingParty,
    credential: CredentialFacts,
    disable: boolean,
  ): Promise<void> {
    const facts = { code: 'E0035R', ...factsOf(rp, credential, this.clock.now()) };
    const alarm = ledgerStep({ kind: 'clone-alarm', ...facts });
    const disabledBy = disablingText({ cause: 'counter' });
    const disabling: Step[] = [
      EVENT_OF_ENABLED_CREDENTIAL.step({
        ...eventRow({ kind: 'disabled', ...facts }),
        keyOwnerId: rp.id,
        keyId: credential.id,
      }),
      DISABLE_CREDENTIAL.step({ ...scope(rp), id: credential.id, disabledBy }),
    ];
    await this.database.commit(disable ? [alarm, ...disabling] : [alarm]);
  }

  /** By what somebody who is new, or newly named, is found: it goes along with what stores the user. */
  private wordsOf({ id, renamed }: RegisteringUser, named: Named): Step[] {
    const { kind } = this.database;
    if (!id) return wordSteps(kind, [named]);
    return renamed ? replaceSearchWords(kind, named) : [];
  }

  private async commit(
    unit: readonly Step[],
    { rp, userId, ceremony, eventIds, onConnectionLost }: Completion,
  ): Promise<CredentialIds | undefined> {
    const user = { ...scope(rp), userId };
    const along = CREDENTIAL_IDS_OF_USER.reading(user);
    const isStored = async () => {
      const event = await this.eventOf(rp, ceremony);
      return event !== undefined && eventIds.some((id) => id.equals(event));
    };
    const stored = await unlessTaken(
      this.database.commit([...unit, along], { isStored, onConnectionLost }),
    );
    if (!stored) return undefined;
    // Where the connection broke with the answer on its way, it is stored and nothing was read.
    const rows = along.rows ?? (await this.database.query(CREDENTIAL_IDS_OF_USER, user));
    return rows.map(({ credentialId }) => credentialId);
  }

  private async eventOf(rp: RelyingParty, ceremony: Buffer): Promise<Buffer | undefined> {
    const params = { ...scope(rp.successor ?? rp), ceremony };
    const [event] = await this.database.query(EVENT_OF_CEREMONY, params);
    return event?.id;
  }
}

/** What events of a known credential say; during a move they are those of the new domain. */
const factsOf = (
  rp: RelyingParty,
  { userId, username, credentialHash }: CredentialFacts,
  at: number,
) => ({
  at,
  relyingParty: rp.successor ?? rp,
  user: { id: userId, username },
  credentialHash,
});

function useStep(
  rp: RelyingParty,
  { id }: CredentialFacts,
  use: CredentialUse & { at: number },
): Step {
  const { signCount, backedUp, initializesUv, at, ceremony, anyCounter } = use;
  return (anyCounter ? RECORD_USE : RECORD_RISING_USE).guard({
    ...scope(rp),
    id,
    signCount,
    backedUp,
    uvInitialized: initializesUv ? true : null,
    lastUsedAt: at,
    ceremony,
    openPartyId: (rp.successor ?? rp).id,
  });
}

/** What the server from which a credential was imported did not keep. */
const learnStep = (
  rp: RelyingParty,
  { id }: CredentialFacts,
  { backupEligible }: CredentialUse,
): Step => LEARN_BACKUP.step({ ...scope(rp), id, backupEligible });
