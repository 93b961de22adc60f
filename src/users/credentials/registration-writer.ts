import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../audit/audit-trail.js';
import { ledgerStep } from '../../events/ledger.js';
import { Clock } from '../../platform/common/clock.js';
import type { Step, Unit } from '../../platform/database/commit/unit.js';
import { Database, type CommitOptions } from '../../platform/database/database.js';
import { newId } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { KEEP_ATTESTATIONS } from '../attestations/attestation.statements.js';
import { attestationRow, Attestations } from '../attestations/attestations.js';
import { addingGroups } from '../groups/group-steps.js';
import { replaceSearchWords, wordSteps, type UserWithNames } from '../search/search-word-steps.js';
import { commitCeremony, isCeremonyCompleted } from './ceremony-units.js';
import { credentialHashOf, type AnsweredKey } from './credential-reader.js';
import { RENAME_USER } from './credential.statements.js';
import {
  insertCredential,
  insertUser,
  type NewCredential,
  type RegisteringUser,
  type RegistrationTerms,
} from './registration-steps.js';

/** Stores registered users and credentials; each registration and its ledger events are one unit. */
@Injectable()
export class RegistrationWriter {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly attestations: Attestations,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * Stores a new credential, and its user if it is the first one; an existing user receives the display name of
   * this registration.
   *
   * @returns all of the user's credentials, including disabled ones; `undefined`, and stores nothing, if the credential
   *   exists; if the user has changed since the begin call, has the maximum number of credentials, one with the same
   *   device name, or no longer the vouching credential; if a permit of `uses` is used up; or if the relying party is
   *   closed
   */
  async register(
    rp: RelyingParty,
    user: RegisteringUser,
    credential: NewCredential,
    { maxCredentials, vouchedBy, uses = [], reports, client, audit }: RegistrationTerms,
  ): Promise<readonly AnsweredKey[] | undefined> {
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
    const { eventIds } = events;
    const commit =
      audit && ((all: Unit, how: CommitOptions) => this.trail.commit([audit], all, how));
    return commitCeremony(this.database, unit, { rp, userId, ceremony, eventIds, commit });
  }

  /** Whether a stored sign-in or registration has completed this ceremony. */
  isCompleted(rp: RelyingParty, ceremony: Buffer): Promise<boolean> {
    return isCeremonyCompleted(this.database, rp, ceremony);
  }

  /** The search words of a new or renamed user, for the unit that stores the user. */
  private wordsOf({ id, renamed }: RegisteringUser, named: UserWithNames): Step[] {
    const { kind } = this.database;
    if (!id) return wordSteps(kind, [named]);
    return renamed ? replaceSearchWords(kind, named) : [];
  }
}
