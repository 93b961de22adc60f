import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { AuditLog } from '../../audit/audit-log.js';
import { Clock } from '../../platform/common/clock.js';
import { falseIfTaken } from '../../platform/database/commit/unique-violation.js';
import { newId } from '../../platform/database/row-ids.js';
import { Database } from '../../platform/database/database.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope } from '../../platform/database/scope.js';
import { EVENT_OF_CEREMONY } from '../../events/event.statements.js';
import { eventRow, ledgerStep, type Client } from '../../events/ledger.js';
import { receiptStep, type ConfirmedTransaction } from '../../events/receipts/receipts.js';
import { receiverOf, type KeyDomain, type RelyingParty } from '../../tenancy/relying-party.js';
import { addingGroups } from '../groups/group-steps.js';
import { KEEP_ATTESTATIONS } from '../attestations/attestation.statements.js';
import { attestationRow, Attestations } from '../attestations/attestations.js';
import { replaceSearchWords, wordSteps, type UserWithNames } from '../search/search-word-steps.js';
import { DISABLE_CREDENTIAL, EVENT_OF_ENABLED_CREDENTIAL } from '../change.statements.js';
import {
  answeredKeys,
  credentialHashOf,
  type AnsweredKey,
  type CredentialFacts,
} from './credential-reader.js';
import {
  ALL_KEYS_OF_USER,
  LEARN_BACKUP,
  LOCK_ENABLED_CREDENTIAL,
  RECORD_RISING_USE,
  RECORD_USE,
  RENAME_USER,
} from './credential.statements.js';
import { STORE_CLONE_ALARM } from './clone-alarm.statements.js';
import { disablingText } from './key-state.js';
import {
  insertCredential,
  insertUser,
  type NewCredential,
  type RegisteringUser,
  type RegistrationTerms,
} from './registration-steps.js';

/** Maximum number of credentials of a user. */
export const MAX_CREDENTIALS = 100;

export interface CredentialUse {
  readonly signCount: number;
  readonly backedUp: boolean;
  readonly backupEligible: boolean;
  /** Whether the key's user verification counts from this sign-in on. */
  readonly initializesUv: boolean;
  readonly secondFactor?: SecondFactorName | undefined;
  readonly ceremony: Buffer;
  /** Whether to accept a counter that did not rise (policies `warn` and `off`). */
  readonly anyCounter: boolean;
  readonly receipt?: ConfirmedTransaction | undefined;
  /** Further steps of the same unit: the sign-in is recorded only if they succeed. */
  readonly furtherSteps?: readonly Step[];
  readonly client?: Client | undefined;
  /** The application for which the user signs in: the detail of the event. */
  readonly application?: string | undefined;
  /** Called before a retry after a lost connection: a later sign-in may be stored before this one. */
  readonly onConnectionLost?: () => void;
}

/** The detail of a clone alarm about two sign-ins that were under way at the same time. */
const OVERLAPPING = 'overlapping';

/** Second factors of a sign-in: the detail of the event `second-factor`. */
export type SecondFactorName = 'token' | 'invitation' | 'application';

/** All of a user's credentials, including disabled ones. */
type AllKeys = readonly AnsweredKey[];

/** A ceremony that a unit completes. */
interface Completion {
  readonly rp: KeyDomain;
  readonly userId: Buffer;
  readonly ceremony: Buffer;
  /** IDs of the events that the unit appends, one of which names the ceremony. */
  readonly eventIds: readonly Buffer[];
  readonly audit?: AuditEntry | undefined;
  /** See `CommitOptions`. */
  readonly onConnectionLost?: (() => void) | undefined;
}

/**
 * Writes users and credentials; each change and its ledger event are one unit. The event of a completed ceremony has
 * the ceremony's ID as a unique key: a unit whose answer was lost finds its own event, and a ceremony that is taken
 * twice is refused. Writes of the four calls return all of the user's credentials after the unit, since answers
 * list them.
 */
@Injectable()
export class CredentialWriter {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly attestations: Attestations,
    private readonly trail: AuditLog,
  ) {}

  /**
   * Stores a new credential, and its user if it is the first one; an existing user receives the display name of
   * this registration.
   *
   * @returns `undefined`, and stores nothing, if the credential exists; if the user has changed since the begin call,
   *   has the maximum number of credentials, one with the same device name, or no longer the vouching credential; if
   *   a permit of `uses` is used up; or if the relying party is closed
   */
  async register(
    rp: RelyingParty,
    user: RegisteringUser,
    credential: NewCredential,
    { maxCredentials, vouchedBy, uses = [], reports, client, audit }: RegistrationTerms,
  ): Promise<AllKeys | undefined> {
    const at = this.clock.now();
    const userId = user.id ?? user.newId ?? newId();
    const credentialHash = credentialHashOf(credential.credentialId);
    const id = newId(at);
    const context = { rp, userId, at };
    const { username, displayName, userHandle, lockouts } = user;
    const facts = { at, relyingParty: rp, user: { id: userId, username } };
    const { kept, ceremony } = credential;
    if (kept) await this.attestations.keepAuthorities(kept.shared);
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
        { id, userHandle, lockouts, maxCredentials, vouchedBy, ...context },
        credential,
      ),
      ...(user.id ? [] : addingGroups(rp, [{ id: userId, groups: user.groups ?? [] }])),
      ...(kept ? [KEEP_ATTESTATIONS.step({ rows: [attestationRow(rp, id, kept)] })] : []),
      // The authenticator has just received this display name.
      ...(user.id && user.renamed
        ? [RENAME_USER.step({ ...scope(rp), id: userId, displayName })]
        : []),
      ...this.wordsOf(user, { id: userId, relyingParty: rp, username, displayName }),
      events,
    ];
    return this.commit(unit, { rp, userId, ceremony, eventIds: events.eventIds, audit });
  }

  /**
   * Records a sign-in if all conditions are met: the credential is enabled, its counter rises, this ceremony was not
   * completed before, the relying party was not closed in the meantime, and the further steps succeed.
   *
   * @returns `undefined`, and stores nothing, if they are not
   */
  recordUse(
    rp: KeyDomain,
    credential: CredentialFacts,
    use: CredentialUse,
  ): Promise<AllKeys | undefined> {
    const at = this.clock.now();
    const { id, userId } = credential;
    const { signCount, backedUp, backupEligible, initializesUv, anyCounter, ceremony } = use;
    const { furtherSteps = [], client, application, onConnectionLost, receipt, secondFactor } = use;
    const facts = { ...eventFacts(rp, credential, at), client };
    const { relyingParty } = facts;
    const event = ledgerStep(
      { kind: 'authentication', ...facts, ceremony, ...(application && { detail: application }) },
      ...(secondFactor ? [{ kind: 'second-factor' as const, detail: secondFactor, ...facts }] : []),
    );
    const { eventIds } = event;
    const record = anyCounter ? RECORD_USE : RECORD_RISING_USE;
    const unit: Step[] = [
      record.mustChange({
        ...scope(rp),
        id,
        signCount,
        backedUp,
        uvInitialized: initializesUv ? true : null,
        lastUsedAt: at,
        ceremony,
        openPartyId: relyingParty.id,
      }),
      ...furtherSteps,
      // The server from which a credential was imported may not have kept this.
      ...(credential.backupEligible === undefined
        ? [LEARN_BACKUP.step({ ...scope(rp), id, backupEligible })]
        : []),
      event,
      ...(receipt ? [receiptStep(relyingParty, at, receipt)] : []),
    ];
    return this.commit(unit, { rp, userId, ceremony, eventIds, onConnectionLost });
  }

  /** Whether a stored sign-in or registration has completed this ceremony. */
  async isCompleted(rp: KeyDomain, ceremony: Buffer): Promise<boolean> {
    return (await this.eventOf(rp, ceremony)) !== undefined;
  }

  /**
   * Records a counter that did not rise, and disables the credential if the policy says so.
   *
   * @param overlaps whether the stored counter was accepted after the ceremony began: two answers may have overtaken
   *   each other, so the credential is not disabled
   */
  async recordCloneAlarm(
    rp: KeyDomain,
    credential: CredentialFacts,
    { disable, overlaps }: { readonly disable: boolean; readonly overlaps: boolean },
  ): Promise<void> {
    const facts = { code: 'E0035R', ...eventFacts(rp, credential, this.clock.now()) };
    const detail = overlaps ? OVERLAPPING : undefined;
    const alarm = ledgerStep({ kind: 'clone-alarm', ...facts, ...(detail && { detail }) });
    const disablingJson = disablingText({ cause: 'counter' });
    const { credentialHash, userId } = credential;
    const disabling: Step[] = [
      // Of several instances that disable it at once, with READ COMMITTED too, one stores the event.
      LOCK_ENABLED_CREDENTIAL.step({ ...scope(rp), credentialHash, userId }),
      EVENT_OF_ENABLED_CREDENTIAL.step({
        ...eventRow({ kind: 'disabled', ...facts }),
        keyOwnerId: rp.id,
        keyId: credential.id,
      }),
      DISABLE_CREDENTIAL.step({ ...scope(rp), id: credential.id, disablingJson }),
    ];
    const [id] = alarm.eventIds;
    const finding = STORE_CLONE_ALARM[this.database.kind];
    const alarmed = [
      alarm,
      ...(id ? [finding.step({ ...scope(rp), credentialHash, alarm: id })] : []),
    ];
    await this.database.commit(disable && !overlaps ? [...alarmed, ...disabling] : alarmed);
  }

  /** The search words of a new or renamed user, for the unit that stores the user. */
  private wordsOf({ id, renamed }: RegisteringUser, named: UserWithNames): Step[] {
    const { kind } = this.database;
    if (!id) return wordSteps(kind, [named]);
    return renamed ? replaceSearchWords(kind, named) : [];
  }

  private async commit(
    unit: readonly Step[],
    { rp, userId, ceremony, eventIds, audit, onConnectionLost }: Completion,
  ): Promise<AllKeys | undefined> {
    const user = { ...scope(rp), userId };
    const reading = ALL_KEYS_OF_USER.reading(user);
    const isStored = async () => {
      const event = await this.eventOf(rp, ceremony);
      return event !== undefined && eventIds.some((id) => id.equals(event));
    };
    const options = { isStored, onConnectionLost };
    const stored = await (audit
      ? this.trail.commit([audit], [...unit, reading], options)
      : falseIfTaken(this.database.commit([...unit, reading], options)));
    if (!stored) return undefined;
    // If the connection broke before the answer arrived, the unit is stored but nothing was read.
    const rows = reading.rows ?? (await this.database.query(ALL_KEYS_OF_USER, user));
    return answeredKeys(rows);
  }

  private async eventOf(rp: KeyDomain, ceremony: Buffer): Promise<Buffer | undefined> {
    const params = { ...scope(receiverOf(rp)), ceremony };
    const [event] = await this.database.query(EVENT_OF_CEREMONY, params);
    return event?.id;
  }
}

/** The members of events of a known credential; during a move, events belong to the new domain. */
const eventFacts = (
  rp: KeyDomain,
  { userId, username, credentialHash }: CredentialFacts,
  at: number,
) => ({
  at,
  relyingParty: receiverOf(rp),
  user: { id: userId, username },
  credentialHash,
});
