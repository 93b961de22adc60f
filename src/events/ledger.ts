import { NO_ID, newId } from '../platform/database/row-ids.js';
import type { Step } from '../platform/database/commit/unit.js';
import { scope, type ScopeOwner } from '../platform/database/scope.js';
import {
  MAX_NAME_BYTES,
  truncateUtf8,
  normalizeName,
} from '../platform/validation/values/names.js';
import type { EventKind } from './event.entity.js';
import { APPEND_EVENTS, type EventRowToAppend } from './event.statements.js';

/**
 * The kind and detail of an event. `detail` is a word for reading and filtering, up to 100 characters, for
 * example a failure or a policy rule.
 */
type EventKindAndDetail =
  | { readonly kind: Exclude<EventKind, 'deleted' | 'imported'>; readonly detail?: string }
  /**
   * The state of the credential when it was added or removed, since the numbers of enabled and disabled ones
   * are counted from events.
   */
  | { readonly kind: 'deleted' | 'imported'; readonly detail: 'enabled' | 'disabled' };

/** The client of a ceremony. */
export interface Client {
  readonly address: string;
  /** `Firefox on Linux`; `null` for a program, or if it is unknown. */
  readonly browser: string | null;
}

/** Something that happened at a relying party, recorded for billing, audit and help desk. */
export type LedgerEvent = EventKindAndDetail & {
  /** The code of the refusal; absent on success. */
  readonly code?: string;
  /** Milliseconds since 1970, from `Clock`. */
  readonly at: number;
  readonly relyingParty: ScopeOwner;
  /** The ID is absent if the claimed name belongs to no user. */
  readonly user?: { readonly id?: Buffer; readonly username: string };
  readonly credentialHash?: Buffer;
  /** The ID of the request, as in its answer. */
  readonly requestId?: string;
  readonly client?: Client | undefined;
  /** The ceremony that it completes: a second event of the same ceremony is a unique violation. */
  readonly ceremony?: Buffer;
};

/** The events of keys that are added or removed in this state. */
export const keyEvents = (
  kind: 'deleted' | 'imported',
  keys: readonly { readonly enabled: boolean; readonly credentialHash: Buffer }[],
  facts: Pick<LedgerEvent, 'at' | 'relyingParty' | 'user' | 'requestId'>,
): LedgerEvent[] =>
  keys.map(({ enabled, credentialHash }) => {
    return { ...facts, kind, detail: enabled ? 'enabled' : 'disabled', credentialHash };
  });

const FINGERPRINT_BYTES = 8;
const MAX_DETAIL = 100;
const NO_CREDENTIAL = Buffer.alloc(FINGERPRINT_BYTES);

/** The short form of a credential's SHA-256 in events, logs and pages. */
export const fingerprintOf = (credentialHash: Buffer): Buffer =>
  credentialHash.subarray(0, FINGERPRINT_BYTES);

/**
 * Returns the step that appends events; it belongs to the unit of the changes that they report, after the conditions
 * that ensure these changes. Such a condition is the former state of a changed credential, on which invoices depend:
 * `DELETE … WHERE … AND enabled = :enabled`. The IDs of the events reveal afterwards whether this step stored them.
 */
export function ledgerStep(
  ...events: readonly LedgerEvent[]
): Step & { readonly eventIds: readonly Buffer[] } {
  // Events of one millisecond are read in the order of their IDs, so the IDs follow the given order.
  const inOrder = events.toSorted((a, b) => a.at - b.at);
  const eventIds = events.map(({ at }) => newId(at)).sort(Buffer.compare);
  const rows = inOrder.map((event, n) => eventRow(event, eventIds[n]));
  return { ...APPEND_EVENTS.step({ rows }), eventIds };
}

export function eventRow(event: LedgerEvent, id = newId(event.at)): EventRowToAppend {
  const { user, credentialHash, client } = event;
  return {
    id,
    at: event.at,
    ...scope(event.relyingParty),
    userId: user?.id ?? NO_ID,
    username: user ? usernameBytes(user.username) : Buffer.alloc(0),
    credential: credentialHash ? fingerprintOf(credentialHash) : NO_CREDENTIAL,
    kind: event.kind,
    code: event.code ?? null,
    detail: event.detail?.slice(0, MAX_DETAIL) ?? null,
    requestId: event.requestId ?? null,
    address: client?.address ?? null,
    browser: client?.browser ?? null,
    ceremony: event.ceremony ?? null,
  };
}

/** A name that was only claimed can have any length. */
const usernameBytes = (username: string): Buffer =>
  Buffer.from(truncateUtf8(MAX_NAME_BYTES, normalizeName(username)), 'utf8');
