import { Injectable } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { Database } from '../../platform/database/database.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope } from '../../platform/database/scope.js';
import { eventRow, ledgerStep, type Client } from '../../events/ledger.js';
import { receiptStep, type ConfirmedTransaction } from '../../events/receipts/receipts.js';
import { receiverOf, type KeyDomain } from '../../tenancy/relying-party.js';
import { DISABLE_CREDENTIAL, EVENT_OF_ENABLED_CREDENTIAL } from './key-state.statements.js';
import { commitCeremony } from './ceremony-units.js';
import type { AnsweredKey, CredentialFacts } from './credential-reader.js';
import {
  LEARN_BACKUP,
  LOCK_ENABLED_CREDENTIAL,
  RECORD_RISING_USE,
  RECORD_USE,
} from './credential.statements.js';
import { STORE_CLONE_ALARM } from './clone-alarm.statements.js';
import { disablingText } from './key-state.js';

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

/** Records sign-ins and clone alarms; each change and its ledger event are one unit. */
@Injectable()
export class SignInWriter {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Records a sign-in if all conditions are met: the credential is enabled, its counter rises, this ceremony was not
   * completed before, the relying party was not closed in the meantime, and the further steps succeed.
   *
   * @returns all of the user's credentials, including disabled ones; `undefined`, and stores nothing, if they are not
   */
  recordUse(
    rp: KeyDomain,
    credential: CredentialFacts,
    use: CredentialUse,
  ): Promise<readonly AnsweredKey[] | undefined> {
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
    return commitCeremony(this.database, unit, {
      rp,
      userId,
      ceremony,
      eventIds,
      onConnectionLost,
    });
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
      // At the predecessor in a move, where invoices count the key.
      EVENT_OF_ENABLED_CREDENTIAL.step({
        ...eventRow({ kind: 'disabled', ...facts, relyingParty: rp }),
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
    await this.database.store(disable && !overlaps ? [...alarmed, ...disabling] : alarmed);
  }
}

/** The members of events of a known credential; during a move, events belong to the successor. */
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
