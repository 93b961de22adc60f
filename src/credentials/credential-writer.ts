import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { commitIdempotently } from '../database/commit/commit-idempotently.js';
import { newId } from '../database/columns.js';
import { Database } from '../database/database.js';
import type { Query } from '../database/database.js';
import { Reading } from '../database/commit/unit.js';
import type { Step } from '../database/commit/unit.js';
import { scopeParams } from '../database/scope.js';
import { ledgerStep, ledgerStepFrom } from '../ledger/ledger.js';
import type { Client } from '../ledger/ledger.js';
import { receiptStep } from '../ledger/receipts/receipts.js';
import type { Agreed } from '../ledger/receipts/receipts.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { AttestationAuthorities } from './attestations/attestation-authorities.js';
import { attestationStep } from './attestations/attestations.js';
import { credentialHashOf } from './credential-reader.js';
import type { CredentialFacts } from './credential-reader.js';
import {
  CREDENTIAL_IDS_OF_USER,
  DISABLE_CREDENTIAL,
  ENABLED_CREDENTIAL,
  LAST_CEREMONY,
  LEARN_BACKUP,
  RECORD_RISING_USE,
  RECORD_USE,
} from './credential.statements.js';
import { insertCredential, insertUser, renameUser } from './registration-steps.js';
import { rewordSteps, wordSteps } from './search/word-steps.js';
import type { Named } from './search/word-steps.js';
import type { NewCredential, RegisteringUser } from './registration-steps.js';

/** Most credentials that one user can have. */
export const MAX_CREDENTIALS = 100;

export interface Use {
  readonly signCount: number;
  readonly backedUp: boolean;
  readonly backupEligible: boolean;
  readonly ceremony: Buffer;
  /** Take a counter that did not rise, too (policies `warn` and `off`). */
  readonly anyCounter: boolean;
  /** Of a transaction that it agreed to. */
  readonly receipt?: Agreed | undefined;
  /** Goes along with it, in the same unit: it is recorded only if this is stored. */
  readonly along?: readonly Step[];
  readonly client?: Client | undefined;
}

/** What a registration is stored with besides the credential. */
export interface Terms {
  /** How many credentials the user may have, this one included. */
  readonly cap: number;
  /** SHA-256 of the ID of a credential that the user must still have, enabled. */
  readonly vouchedBy?: Buffer;
  /** Goes before it, in the same unit: what it uses up, such as a ticket. */
  readonly uses?: readonly Step[];
  /** Rules of the policy that it breaks and that are only reported, with the refusal's code. */
  readonly reports: readonly { readonly rule: string; readonly code: string }[];
  readonly client?: Client | undefined;
}

const USUAL_TERMS: Terms = { cap: MAX_CREDENTIALS, reports: [] };

/** IDs of all of a user's credentials, disabled ones too. */
type CredentialIds = readonly Buffer[];

/** Of which credential a unit is, and which ceremony stores it. */
interface Made {
  readonly rp: RelyingParty;
  readonly userId: Buffer;
  readonly credentialHash: Buffer;
  readonly ceremony: Buffer;
}

/**
 * Writes users and credentials; each change and its ledger event are one unit. What the four calls store
 * brings along the IDs of the user's credentials as it leaves them: an answer names them all, and one that
 * another instance has just stored must not be missing.
 */
@Injectable()
export class CredentialWriter {
  private readonly lastCeremony: Query<{ lastCeremony: Buffer }>;
  private readonly idsOfUser: Query<{ credentialId: Buffer }>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly authorities: AttestationAuthorities,
  ) {
    this.lastCeremony = database.query(LAST_CEREMONY);
    this.idsOfUser = database.query(CREDENTIAL_IDS_OF_USER, { small: true });
  }

  /**
   * Stores a new credential, and its user when this is the first one; a user who exists is given the
   * display name of this registration.
   *
   * @returns `undefined` when the credential exists, the user has changed since the begin call, has as
   *   many as are allowed or not the one that vouches, what it uses is used up, or the relying party
   *   is closed; nothing is stored then
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
    const scope = { rp, userId, at };
    const { username, displayName } = user;
    const facts = { at, relyingParty: rp, user: { id: userId, username } };
    if (credential.kept) await this.authorities.keep(credential.kept.shared);
    const unit = [
      ...uses,
      ...(user.id ? [] : [insertUser(scope, user)]),
      insertCredential({ id, userHandle: user.userHandle, cap, vouchedBy, ...scope }, credential),
      ...(credential.kept ? [attestationStep(rp, id, credential.kept)] : []),
      ...(user.id && user.renamed ? [renameUser(scope, user)] : []),
      ...this.wordsOf(user, { id: userId, relyingParty: rp, username, displayName }),
      ledgerStep(
        ...(user.id ? [] : [{ kind: 'user-created' as const, ...facts }]),
        { kind: 'registration', credentialHash, client, ...facts },
        ...reports.map(({ rule: detail, code }) => ({
          kind: 'policy' as const,
          detail,
          code,
          credentialHash,
          ...facts,
        })),
      ),
    ];
    return this.commit(unit, { rp, userId, credentialHash, ceremony: credential.ceremony });
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
    use: Use,
  ): Promise<CredentialIds | undefined> {
    const at = this.clock.now();
    const unit: Step[] = [
      useStep(rp, credential, { at, ...use }),
      ...(use.along ?? []),
      ...(credential.backupEligible === undefined ? [learnStep(rp, credential, use)] : []),
      ledgerStep({
        kind: 'authentication',
        at,
        relyingParty: rp.successor ?? rp,
        user: { id: credential.userId, username: credential.username },
        credentialHash: credential.credentialHash,
        client: use.client,
      }),
      ...(use.receipt ? [receiptStep(rp.successor ?? rp, at, use.receipt)] : []),
    ];
    const { userId, credentialHash } = credential;
    return this.commit(unit, { rp, userId, credentialHash, ceremony: use.ceremony });
  }

  /** Records a counter that did not rise, and disables the credential when the policy says so. */
  async recordCloneAlarm(
    rp: RelyingParty,
    credential: CredentialFacts,
    disable: boolean,
  ): Promise<void> {
    const facts = {
      code: 'E0035R',
      at: this.clock.now(),
      relyingParty: rp.successor ?? rp,
      user: { id: credential.userId, username: credential.username },
      credentialHash: credential.credentialHash,
    };
    const alarm = ledgerStep({ kind: 'clone-alarm', ...facts });
    const params = [...scopeParams(rp), credential.id];
    const disabling: Step[] = [
      ledgerStepFrom({ kind: 'disabled', ...facts }, { sql: ENABLED_CREDENTIAL, params }),
      { sql: DISABLE_CREDENTIAL, params },
    ];
    await this.database.commit(disable ? [alarm, ...disabling] : [alarm]);
  }

  /** By what somebody who is new, or newly named, is found: it goes along with what stores the user. */
  private wordsOf({ id, renamed }: RegisteringUser, named: Named): Step[] {
    const { kind } = this.database;
    if (!id) return wordSteps(kind, [named]);
    return renamed ? rewordSteps(kind, named) : [];
  }

  private async commit(unit: readonly Step[], made: Made): Promise<CredentialIds | undefined> {
    const user = [...scopeParams(made.rp), made.userId];
    const params = [...user, ...user];
    const along = new Reading<{ credentialId: Buffer }>(CREDENTIAL_IDS_OF_USER, params);
    const isStored = () => this.isWritten(made);
    if (!(await commitIdempotently(this.database, [...unit, along], isStored))) return undefined;
    // Where the connection broke with the answer on its way, it is stored and nothing was read.
    const rows = along.rows ?? (await this.idsOfUser.all(...params));
    return rows.map(({ credentialId }) => credentialId);
  }

  private async isWritten({ rp, credentialHash, ceremony }: Made): Promise<boolean> {
    const [row] = await this.lastCeremony.all(...scopeParams(rp), credentialHash);
    return row?.lastCeremony.equals(ceremony) ?? false;
  }
}

function useStep(rp: RelyingParty, { id }: CredentialFacts, use: Use & { at: number }): Step {
  const { signCount, backedUp, at, ceremony, anyCounter } = use;
  const set = [signCount, backedUp ? 1 : 0, at, ceremony];
  const params = [...set, ...scopeParams(rp), id, ceremony, (rp.successor ?? rp).id];
  return anyCounter
    ? { sql: RECORD_USE, params, guard: true }
    : { sql: RECORD_RISING_USE, params: [...params, signCount, signCount], guard: true };
}

/** What the server from which a credential was imported did not keep. */
const learnStep = (rp: RelyingParty, { id }: CredentialFacts, { backupEligible }: Use): Step => ({
  sql: LEARN_BACKUP,
  params: [backupEligible ? 1 : 0, ...scopeParams(rp), id],
});
