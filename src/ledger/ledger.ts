import { newId } from '../database/columns.js';
import type { Step } from '../database/unit.js';

export type EventKind = 'registration' | 'authentication' | 'clone-alarm';

/** Something that happened to a credential, for billing, audit and help desk alike. */
export interface LedgerEvent {
  readonly kind: EventKind;
  /** Code of the refusal; absent when all went well. */
  readonly code?: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly relyingParty: { readonly id: Buffer; readonly tenantId: Buffer };
  readonly user: { readonly id: Buffer; readonly username: string };
  readonly credentialHash: Buffer;
}

const FINGERPRINT_BYTES = 8;

/** The statement that appends an event; it goes into the unit of the change that it reports. */
export function ledgerStep({
  kind,
  code,
  at,
  relyingParty,
  user,
  credentialHash,
}: LedgerEvent): Step {
  return {
    sql: `INSERT INTO events
            (id, at, tenant_id, relying_party_id, user_id, username, credential, kind, code)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    params: [
      newId(),
      at,
      relyingParty.tenantId,
      relyingParty.id,
      user.id,
      Buffer.from(user.username, 'utf8'),
      credentialHash.subarray(0, FINGERPRINT_BYTES),
      kind,
      code ?? null,
    ],
  };
}
