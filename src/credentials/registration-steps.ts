import { newId } from '../database/columns.js';
import type { Step } from '../database/commit/unit.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { normalizeName } from '../validation/names.js';
import { credentialHashOf } from './credential-reader.js';

/** The user of a registration: known already, or made by its first credential. */
export interface RegisteringUser {
  /** `undefined` for a user who does not exist yet. */
  readonly id: Buffer | undefined;
  readonly username: string;
  readonly displayName: string;
  /** The user exists, by another display name. */
  readonly renamed?: boolean;
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

interface Scope {
  readonly rp: RelyingParty;
  readonly userId: Buffer;
  readonly at: number;
}

const bit = (flag: boolean) => (flag ? 1 : 0);

/**
 * The statement that stores a user. It is not a guard of its own, which would cost a round trip: where
 * the relying party was closed or the name taken meanwhile, it stores nobody, and the credential finds
 * no user.
 */
export function insertUser({ rp, userId, at }: Scope, user: RegisteringUser): Step {
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
  };
}

/** The statement that gives a user the display name which the authenticator was just given. */
export function renameUser({ rp, userId }: Scope, { displayName }: RegisteringUser): Step {
  return {
    sql: 'UPDATE users SET display_name = ? WHERE id = ? AND relying_party_id = ?',
    params: [displayName, userId, rp.id],
  };
}

interface CredentialScope extends Scope {
  readonly userHandle: Buffer;
  readonly cap: number;
  readonly vouchedBy: Buffer | undefined;
}

const VOUCHER = `AND EXISTS (SELECT 1 FROM credentials v
              WHERE v.user_id = u.id AND v.relying_party_id = u.relying_party_id
                AND v.credential_hash = ? AND v.enabled = 1)`;

/**
 * The statement that stores a credential of a user, who must still be the one that was asked, have
 * room for it, and have the credential that vouches for it.
 */
export function insertCredential(scope: CredentialScope, made: NewCredential): Step {
  const { userId, at, userHandle, cap, vouchedBy } = scope;
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
            AND (SELECT COUNT(*) FROM credentials c WHERE c.user_id = u.id) < ?
            ${vouchedBy ? VOUCHER : ''}`,
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
      cap,
      ...(vouchedBy ? [vouchedBy] : []),
    ],
    guard: true,
  };
}
