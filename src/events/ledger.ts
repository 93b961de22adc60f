import { newId } from '../platform/database/columns.js';
import type { Step } from '../platform/database/commit/unit.js';
import type { EventKind } from './event.entity.js';
import { APPEND_EVENTS, type EventRowToAppend } from './event.statements.js';
import { scope, type ScopeOwner } from '../platform/database/scope.js';
import { MAX_NAME_BYTES, cutTo, normalizeName } from '../platform/validation/values/names.js';

/**
 * Kind and detail of an event. `detail` is a word for people and filters, up to 100 characters, such as a
 * failure or a policy's rule.
 */
type EventKindAndDetail =
  | { readonly kind: Exclude<EventKind, 'deleted' | 'imported'>; readonly detail?: string }
  /**
   * State of the credential when it came or went, since the numbers of enabled and disabled ones are counted
   * from events.
   */
  | { readonly kind: 'deleted' | 'imported'; readonly detail: 'enabled' | 'disabled' };

/** Where a ceremony comes from. */
export interface Client {
  readonly address: string;
  /** `Firefox on Linux`; `null` for a program, or where it is not known. */
  readonly browser: string | null;
}

/** Something that happened at a relying party, for billing, audit and help desk alike. */
export type LedgerEvent = EventKindAndDetail & {
  /** Code of the refusal; absent when all went well. */
  readonly code?: string;
  /** Milliseconds since 1970, from `Clock`. */
  readonly at: number;
  readonly relyingParty: ScopeOwner;
  /** The ID is absent where the claimed name belongs to no user. */
  readonly user?: { readonly id?: Buffer; readonly username: string };
  readonly credentialHash?: Buffer;
  /** ID of the request that caused it, as its answer names it. */
  readonly requestId?: string;
  readonly client?: Client | undefined;
  /** The ceremony that it completes: a second event of the same ceremony is a unique violation. */
  readonly ceremony?: Buffer;
};

/** Appends events; their IDs show afterwards whether it was this step that stored them. */
interface LedgerStep extends Step {
  readonly eventIds: readonly Buffer[];
}

const FINGERPRINT_BYTES = 8;
const MAX_DETAIL = 100;
export const NO_USER = Buffer.alloc(16);
const NO_CREDENTIAL = Buffer.alloc(FINGERPRINT_BYTES);

/** The short form of a credential's SHA-256 that events, logs and pages show. */
export const fingerprintOf = (credentialHash: Buffer): Buffer =>
  credentialHash.subarray(0, FINGERPRINT_BYTES);

/**
 * The statement that appends events; it goes into the unit of the changes that they report, after the guards
 * that ensure these changes. Such a guard is the former state of a credential that changes, on which invoices
 * depend: `DELETE … WHERE … AND enabled = :enabled`.
 */
export function ledgerStep(...events: readonly LedgerEvent[]): LedgerStep {
  // Events of one millisecond are read in the order of their IDs, so these follow the order given.
  const inOrder = events.toSorted((a, b) => a.at - b.at);
  const eventIds = events.map(({ at }) => newId(at)).sort(Buffer.compare);
  const rows = inOrder.map((event, n) => eventRow(event, eventIds[n]));
  return { ...APPEND_EVENTS.step({ rows }), eventIds };
}

export function eventRow(event: LedgerEvent, id = newId(event.at)): EventRowToAppend {
  const { kind, code, detail, at, relyingParty, user, credentialHash } = event;
  const { requestId, client, ceremony } = event;
  return {
    id,
    at,
    ...scope(relyingParty),
    userId: user?.id ?? NO_USER,
    username: user ? usernameBytes(user.username) : Buffer.alloc(0),
    credential: credentialHash ? fingerprintOf(credentialHash) : NO_CREDENTIAL,
    kind,
    code: code ?? null,
    detail: detail?.slice(0, MAX_DETAIL) ?? null,
    requestId: requestId ?? null,
    address: client?.address ?? null,
    browser: client?.browser ?? null,
    ceremony: ceremony ?? null,
  };
}

/** A name that was only claimed can have any length. */
const usernameBytes = (username: string): Buffer =>
  Buffer.from(cutTo(MAX_NAME_BYTES, normalizeName(username)), 'utf8');
