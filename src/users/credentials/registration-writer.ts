import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import { ledgerStep, type Client } from '../../events/ledger.js';
import { Clock } from '../../platform/common/clock.js';
import type { Step, Unit } from '../../platform/database/commit/unit.js';
import { Database, type CommitOptions } from '../../platform/database/database.js';
import { newId } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { KEEP_ATTESTATIONS } from '../attestations/attestation.statements.js';
import { attestationRow, Attestations } from '../attestations/attestations.js';
import type { NewAttestation } from '../attestations/evidence.js';
import { addingGroups } from '../groups/group-steps.js';
import { replaceSearchWords, wordSteps, type UserWithNames } from '../search/search-word-steps.js';
import { commitCeremony } from './ceremony-units.js';
import { credentialHashOf, type AnsweredKey } from './credential-reader.js';
import type { Credential } from './credential.entity.js';
import {
  INSERT_CREDENTIAL,
  INSERT_USER,
  INSERT_VOUCHED_CREDENTIAL,
  LOCK_USABLE_CREDENTIAL,
  RENAME_USER,
} from './credential.statements.js';

/** The user of a registration: an existing one, or one that the first credential creates. */
export interface RegisteringUser {
  /** `undefined` for a user who does not exist yet. */
  readonly id: Buffer | undefined;
  /** The ID of a new user: random, unless the user moves here from a predecessor. */
  readonly newId?: Buffer | undefined;
  readonly username: string;
  readonly displayName: string;
  /** The user exists, with another display name. */
  readonly renamed?: boolean;
  readonly userHandle: Buffer;
  /** How often the user had been locked out when the ceremony began. */
  readonly lockouts: number;
  /** The ID of a new user at the customer's application. */
  readonly subject?: string | undefined;
  /** The groups of a new user, in NFC. */
  readonly groups?: readonly string[] | undefined;
}

export interface NewCredential
  extends
    Readonly<Pick<Credential, 'credentialId' | 'publicKey' | 'algorithm' | 'signCount' | 'aaguid'>>,
    Readonly<Pick<Credential, 'deviceName' | 'deviceMetadata' | 'transports'>>,
    Readonly<Pick<Credential, 'attestationFormat' | 'attestationType' | 'attestationTrusted'>>,
    Readonly<Pick<Credential, 'serialNumber' | 'userVerified' | 'backedUp' | 'origin'>> {
  /** The evidence of its attestation; `undefined` if it proved nothing. */
  readonly kept: NewAttestation | undefined;
  readonly registrationFlags: number;
  readonly attestationAsked: boolean;
  readonly residentKey: boolean | undefined;
  readonly madeUnderAuthority: boolean;
  readonly backupEligible: boolean;
  /** ID of the ceremony, 16 bytes. */
  readonly ceremony: Buffer;
}

export interface RegistrationTerms {
  /** Maximum number of credentials of the user, including this one. */
  readonly maxCredentials: number;
  /** SHA-256 of the ID of a credential that the user must still have, enabled. */
  readonly vouchedBy?: Buffer;
  /** The first steps of the unit, for example the one that uses up a ticket. */
  readonly firstSteps?: readonly Step[];
  /** Broken policy rules in mode `report`, with the refusal's code. */
  readonly reports: readonly { readonly rule: string; readonly code: string }[];
  readonly client?: Client | undefined;
  /** The audit row of the registration, which is stored in the same unit. */
  readonly audit?: AuditEntry | undefined;
}

interface RegistrationContext {
  readonly rp: RelyingParty;
  readonly userId: Buffer;
  readonly at: number;
}

/** Returns steps for the end of the unit in which a user registers a credential. */
type LaterSteps = (rp: RelyingParty, userId: Buffer) => readonly Step[];

/** Stores registered users and credentials; each registration and its ledger events are one unit. */
@Injectable()
export class RegistrationWriter {
  private readonly later: LaterSteps[] = [];

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly attestations: Attestations,
    private readonly trail: AuditTrail,
  ) {}

  /** Called once by each feature whose steps follow the registration of a key in its unit. */
  registerLaterSteps(steps: LaterSteps): void {
    this.later.push(steps);
  }

  /**
   * Stores a new credential, and its user if it is the first one; an existing user receives the display name of
   * this registration.
   *
   * @returns all of the user's credentials, including disabled ones; `undefined`, and stores nothing, if the credential
   *   exists; if the user has changed since the begin call, has the maximum number of credentials, one with the same
   *   device name, or no longer the vouching credential; if a first step fails, for example since a permit is used up; or
   *   if the relying party is closed
   */
  async register(
    rp: RelyingParty,
    user: RegisteringUser,
    credential: NewCredential,
    { maxCredentials, vouchedBy, firstSteps = [], reports, client, audit }: RegistrationTerms,
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
      ...firstSteps,
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
      ...this.later.flatMap((stepsOf) => stepsOf(rp, userId)),
      events,
    ];
    const { eventIds } = events;
    const commit =
      audit && ((all: Unit, how: CommitOptions) => this.trail.commit([audit], all, how));
    return commitCeremony(this.database, unit, { rp, userId, ceremony, eventIds, commit });
  }

  /** The search words of a new or renamed user, for the unit that stores the user. */
  private wordsOf({ id, renamed }: RegisteringUser, named: UserWithNames): Step[] {
    const { kind } = this.database;
    if (!id) return wordSteps(kind, [named]);
    return renamed ? replaceSearchWords(kind, named) : [];
  }
}

/**
 * The statement that stores a user. It is not a condition of its own, which would cost a round trip: if the relying
 * party was closed or the name taken in the meantime, it stores no user, and the step of the credential finds none.
 */
export function insertUser({ rp, userId, at }: RegistrationContext, user: RegisteringUser): Step {
  const username = normalizeName(user.username);
  const row = newUserRow({ ...user, id: userId, username, createdAt: at });
  return INSERT_USER.step({ ...scope(rp), ...row });
}

/** The columns of a new user, whose name is in NFC. */
export const newUserRow = <User extends Pick<RegisteringUser, 'username' | 'subject'>>({
  username,
  subject,
  ...user
}: User) => ({
  ...user,
  username: Buffer.from(username, 'utf8'),
  subject: subject === undefined ? null : Buffer.from(subject, 'utf8'),
  foldedName: Buffer.from(foldedName(username), 'utf8'),
});

interface CredentialContext extends RegistrationContext {
  readonly id: Buffer;
  readonly userHandle: Buffer;
  readonly lockouts: number;
  readonly maxCredentials: number;
  readonly vouchedBy: Buffer | undefined;
}

/**
 * The steps that store a credential. The user must still be the one of the begin call, not locked out since, have
 * room for it, and have the credential that vouches for it, which is locked first, so that it cannot be disabled in the meantime.
 */
function insertCredential(context: CredentialContext, made: NewCredential): Step[] {
  const { rp, id, at, vouchedBy, userId, userHandle, lockouts, maxCredentials } = context;
  const params = {
    ...scope(rp),
    userId,
    userHandle,
    lockouts,
    maxCredentials,
    ...made,
    id,
    credentialHash: credentialHashOf(made.credentialId),
    // W3C WebAuthn L3 §7.1 step 27: the UV flag of the registration.
    uvInitialized: made.userVerified,
    registeredAt: at,
    lastCeremony: made.ceremony,
    residentKey: made.residentKey ?? null,
  };
  if (!vouchedBy) return [INSERT_CREDENTIAL.mustChange(params)];
  return [
    LOCK_USABLE_CREDENTIAL.step({ ...scope(rp), credentialHash: vouchedBy, userId }),
    INSERT_VOUCHED_CREDENTIAL.mustChange({ ...params, vouchedBy }),
  ];
}
