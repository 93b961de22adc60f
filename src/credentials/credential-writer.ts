import { Injectable } from '@nestjs/common';
import { Clock } from '../config/clock.js';
import { newId } from '../database/columns.js';
import { Database } from '../database/database.js';
import { isUniqueViolation } from '../database/unique-violation.js';
import type { Step } from '../database/unit.js';
import { ledgerStep } from '../ledger/ledger.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { normalizeName } from '../validation/names.js';
import { credentialHashOf } from './credential-reader.js';
import type { StoredCredential } from './credential-reader.js';

/** Most credentials that one user can have. */
export const MAX_CREDENTIALS = 100;

/** The user of a registration: known already, or made by its first credential. */
export interface RegisteringUser {
  /** `undefined` for a user who does not exist yet. */
  readonly id: Buffer | undefined;
  readonly username: string;
  readonly displayName: string;
  readonly userHandle: Buffer;
}

export interface NewCredential {
  readonly credentialId: Buffer;
  readonly publicKey: Buffer;
  readonly algorithm: number;
  readonly signCount: number;
  readonly aaguid: Buffer;
  readonly deviceName: string;
  readonly keypair: string | undefined;
  readonly transports: string;
  readonly attestation: {
    readonly format: string;
    readonly type: string;
    readonly trusted: boolean;
  };
  readonly userVerified: boolean;
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  /** 16 bytes that name the ceremony. */
  readonly ceremony: Buffer;
}

export interface Use {
  readonly signCount: number;
  readonly backedUp: boolean;
  readonly ceremony: Buffer;
  /** Take a counter that did not rise, too (policy `warn`). */
  readonly anyCounter: boolean;
}

const bit = (flag: boolean) => (flag ? 1 : 0);

/** Writes users and credentials; each change and its ledger event are one unit. */
@Injectable()
export class CredentialWriter {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a new credential, and its user when this is the first one.
   *
   * @returns `false` when the credential exists, the user has changed since the begin call, has
   *   `MAX_CREDENTIALS`, or the relying party is closed; nothing is stored then
   */
  async register(
    rp: RelyingParty,
    user: RegisteringUser,
    credential: NewCredential,
  ): Promise<boolean> {
    const at = this.clock.now();
    const userId = user.id ?? newId();
    const credentialHash = credentialHashOf(credential.credentialId);
    const scope = { rp, userId, at };
    const unit = [
      ...(user.id ? [] : [insertUser(scope, user)]),
      insertCredential(scope, user.userHandle, credential),
      ledgerStep({
        kind: 'registration',
        at,
        relyingParty: rp,
        user: { id: userId, username: user.username },
        credentialHash,
      }),
    ];
    try {
      return await this.database.commit(unit);
    } catch (error) {
      // Another instance stored the same between our look and our insert.
      if (isUniqueViolation(error)) return false;
      throw error;
    }
  }

  /**
   * Records a sign-in, if the credential still permits it: enabled, its counter rising, this
   * ceremony not applied before, and the relying party not closed meanwhile.
   *
   * @returns `false` when it does not; nothing is stored then
   */
  recordUse(rp: RelyingParty, credential: StoredCredential, use: Use): Promise<boolean> {
    const at = this.clock.now();
    const rises = use.anyCounter ? '' : 'AND (sign_count < ? OR (sign_count = 0 AND ? = 0))';
    const counter = use.anyCounter ? [] : [use.signCount, use.signCount];
    return this.database.commit([
      {
        sql: `UPDATE credentials SET sign_count = ?, backed_up = ?, last_used_at = ?, last_ceremony = ?
              WHERE id = ? AND enabled = 1 AND last_ceremony <> ? ${rises}
                AND EXISTS (SELECT 1 FROM relying_parties r WHERE r.id = ? AND r.closed_at = 0)`,
        params: [
          use.signCount,
          bit(use.backedUp),
          at,
          use.ceremony,
          credential.id,
          use.ceremony,
          ...counter,
          rp.id,
        ],
        guard: true,
      },
      ledgerStep({
        kind: 'authentication',
        at,
        relyingParty: rp,
        user: { id: credential.userId, username: credential.username },
        credentialHash: credential.credentialHash,
      }),
    ]);
  }

  /** Records a counter that did not rise, and disables the credential when the policy says so. */
  async recordCloneAlarm(
    rp: RelyingParty,
    credential: StoredCredential,
    disable: boolean,
  ): Promise<void> {
    const alarm = ledgerStep({
      kind: 'clone-alarm',
      code: 'E0035R',
      at: this.clock.now(),
      relyingParty: rp,
      user: { id: credential.userId, username: credential.username },
      credentialHash: credential.credentialHash,
    });
    const disabling: Step = {
      sql: 'UPDATE credentials SET enabled = 0 WHERE id = ?',
      params: [credential.id],
    };
    await this.database.commit(disable ? [alarm, disabling] : [alarm]);
  }
}

interface Scope {
  readonly rp: RelyingParty;
  readonly userId: Buffer;
  readonly at: number;
}

/** Selecting from the relying party makes both inserts fail where it was closed meanwhile. */
function insertUser({ rp, userId, at }: Scope, user: RegisteringUser): Step {
  return {
    sql: `INSERT INTO users
            (id, tenant_id, relying_party_id, username, display_name, user_handle, created_at)
          SELECT ?, r.tenant_id, r.id, ?, ?, ?, ?
          FROM relying_parties r WHERE r.id = ? AND r.closed_at = 0
            AND NOT EXISTS (SELECT 1 FROM users u WHERE u.relying_party_id = r.id AND u.username = ?)`,
    params: [
      userId,
      Buffer.from(normalizeName(user.username), 'utf8'),
      user.displayName,
      user.userHandle,
      at,
      rp.id,
      Buffer.from(normalizeName(user.username), 'utf8'),
    ],
    guard: true,
  };
}

function insertCredential({ userId, at }: Scope, userHandle: Buffer, made: NewCredential): Step {
  const hash = credentialHashOf(made.credentialId);
  return {
    sql: `INSERT INTO credentials
            (id, tenant_id, relying_party_id, user_id, credential_id, credential_hash, public_key,
             algorithm, sign_count, aaguid, device_name, keypair, transports, attestation_format,
             attestation_type, attestation_trusted, user_verified, backup_eligible, backed_up,
             enabled, registered_at, last_used_at, last_ceremony)
          SELECT ?, u.tenant_id, u.relying_party_id, u.id, ?, ?, ?,
             ?, ?, ?, ?, ?, ?, ?,
             ?, ?, ?, ?, ?,
             1, ?, NULL, ?
          FROM users u JOIN relying_parties r ON r.id = u.relying_party_id AND r.closed_at = 0
          WHERE u.id = ? AND u.user_handle = ?
            AND NOT EXISTS (SELECT 1 FROM credentials c
              WHERE c.relying_party_id = u.relying_party_id AND c.credential_hash = ?)
            AND (SELECT COUNT(*) FROM credentials c WHERE c.user_id = u.id) < ${MAX_CREDENTIALS}`,
    params: [
      newId(),
      made.credentialId,
      hash,
      made.publicKey,
      made.algorithm,
      made.signCount,
      made.aaguid,
      made.deviceName,
      made.keypair ?? null,
      made.transports,
      made.attestation.format,
      made.attestation.type,
      bit(made.attestation.trusted),
      bit(made.userVerified),
      bit(made.backupEligible),
      bit(made.backedUp),
      at,
      made.ceremony,
      userId,
      userHandle,
      hash,
    ],
    guard: true,
  };
}
