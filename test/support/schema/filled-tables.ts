import { hash } from 'node:crypto';
import { newId } from '../../../src/platform/database/row-ids.js';
import { timeSliceOf } from '../../../src/events/numbering/numbering-store.js';
import type { RelyingParty } from '../../../src/tenancy/relying-party.js';
import { settle } from '../settled-users.js';
import { relyingPartyOf, rowsOf } from '../rows.js';
import type { TestServer } from '../test-server.js';
import { fillTable } from './filled-table.js';

/** Every second user was created at this time, and the others in the milliseconds after it. */
export const CREATED = 1_790_000_000_000;

/** Which of the events are refusals. */
export const REFUSED = [0, 700, 1400, 1996, 1997, 1998, 1999, 2000, 2001, 3900];

/** The model of some of the jobs, the list of the lines, and the webhook of some of the messages set aside. */
export const MODEL = Buffer.alloc(16, 7);
export const UPLOAD = Buffer.alloc(16, 8);
export const WEBHOOK = Buffer.alloc(16, 9);

/** Events behind this number are those of the filled table; the server's own job gives smaller numbers. */
export const NUMBERED = 1_000_000_000;
/** Slices behind the present, which the job does not look at. */
const FAR_SLICES = 100_000;

interface Span {
  /** Rows of each table. */
  readonly count: number;
  /** The time of the newest. */
  readonly now: number;
}

const digest = (n: number) => hash('sha256', `${n}`, 'buffer');
const invoiceBody = Buffer.from(
  JSON.stringify({ invoice: { period: {}, tenants: [], note: 'x'.repeat(1500) } }),
);

/** Rows of each table that lists read, by time backwards: the newest ones were stored first. */
const rowsIn = (
  rp: RelyingParty,
  keys: readonly { readonly id: Buffer }[],
  { count, now }: Span,
) => {
  const rows = Array.from({ length: count }, (_, n) => n);
  const its = { relying_party_id: rp.id, tenant_id: rp.tenantId };
  const accounts = rows.map(() => newId());
  const deletions = rows.map(() => newId());
  const webhooks = rows.slice(0, 50).map((n) => (n === 0 ? WEBHOOK : newId()));
  return {
    invitations: rows.map((n) => ({
      ...its,
      id: newId(),
      code_hash: digest(n),
      username: Buffer.from(`user-${n}`),
      folded_name: Buffer.from(`user-${n}`),
      issued_at: now - n,
      expires_at: now + n,
    })),
    tickets: rows.map((n) => ({
      ...its,
      ticket_hash: digest(n),
      username: Buffer.from(`user-${n}`),
      folded_name: Buffer.from(`user-${n}`),
      expires_at: now + n,
    })),
    findings: keys.map(({ id }) => ({ ...its, id, rule: 'status', code: 'E0036R' })),
    deletions: rows.map((n) => ({
      ...its,
      id: deletions[n] ?? null,
      user_id: newId(),
      whole: n % 2,
      at: now - n,
      occasion: `${n}`,
      folded_name: Buffer.from(`user-${n}`),
    })),
    deleted_keys: rows.map((n) => ({
      ...its,
      id: newId(),
      deletion_id: deletions[n] ?? null,
      user_id: newId(),
      credential_hash: digest(n),
      aaguid: n % 2 ? MODEL : digest(n).subarray(0, 16),
      attestation_trusted: 0,
      user_verified: 0,
      backup_eligible: 0,
      backed_up: 0,
      enabled: 1,
    })),
    events: rows.map((n) => ({
      ...its,
      id: newId(),
      request_id: `${n}`,
      // Events of the same time, at which slices may end.
      at: now - n + (n % 4),
      kind: REFUSED.includes(n) ? 'registration-refused' : 'authentication',
      username: Buffer.from(`user-${n % 2}`),
    })),
    receipts: rows.map((n) => ({ ...its, id: newId(), at: n, username: Buffer.from(`user-${n}`) })),
    event_batches: rows.map((n) => ({
      ...(n % 50 ? {} : its),
      last: NUMBERED + n,
      slice: timeSliceOf(now) + FAR_SLICES + n,
      size: 1,
      ids: newId(),
    })),
    webhooks: webhooks.map((id) => ({ id, tenant_id: rp.tenantId, events: '[]', off_since: now })),
    set_aside_messages: rows.map((n) => ({
      webhook_id: webhooks[n % webhooks.length] ?? null,
      number: n,
      event_id: newId(),
    })),
    invoices: rows.map((n) => ({
      number: n + 1,
      series: 'statement',
      kind: n % 2 ? 'statement' : 'credit-note',
      date: `${2000 + (n % 100)}-01-31`,
      figures: digest(n),
      body: invoiceBody,
      tenants: '[]',
      issued_at: now - n,
      tenant_id: n % 200 ? newId() : rp.tenantId,
    })),
    audit: rows.map((n) => ({
      seq: count + n,
      at: now + n,
      action: 'user.erase',
      result: 'ok',
      request_id: `${n}`,
      account: Buffer.from('anna'),
      target: Buffer.from('user-7'),
      tenant: Buffer.from(rp.tenant),
      detail: '{}',
    })),
    uploads: [
      { ...its, id: UPLOAD, account: Buffer.from('anna'), state: 'ready', expires_at: now * 2 },
    ],
    upload_lines: rows.map((n) => ({
      upload_id: UPLOAD,
      line: n + 1,
      username: Buffer.from(`user-${n}`),
    })),
    model_jobs: rows.map((n) => ({
      ...its,
      id: newId(),
      aaguid: n % 50 ? newId() : MODEL,
      state: 'disabled',
    })),
    console_accounts: rows.map((n) => ({
      id: accounts[n] ?? null,
      name: Buffer.from(`account-${n}`),
      role: 'auditor',
      sign_in: 'password',
      needs_key: 0,
      break_glass: 0,
    })),
    console_keys: rows.map((n) => ({
      id: newId(),
      account_id: accounts[n] ?? null,
      credential_hash: digest(n),
      backup_eligible: 0,
      verifies_user: 0,
    })),
    console_setups: rows.map((n) => ({ account_id: accounts[n] ?? null, token_hash: digest(n) })),
    console_sessions: rows.map((n) => ({
      id: newId(),
      account: `account-${n}`,
      ends_at: now * 2,
      used_at: now * 2,
    })),
  };
};

/**
 * Fills every table that lists read.
 *
 * @returns their names
 */
export async function fillTables(
  server: TestServer,
  count: number,
  now: number,
): Promise<string[]> {
  const rp = relyingPartyOf(server, 'localhost');
  const users = Array.from({ length: count }, (_, n) => ({
    username: `user-${n}`,
    createdAt: CREATED + (n % 2) * n,
  }));
  await settle(server, rp, users);
  const keys = await rowsOf<{ id: Buffer }>(server, 'SELECT id FROM credentials');
  const tables = rowsIn(rp, keys, { count, now });
  for (const [table, rows] of Object.entries(tables)) await fillTable(server, table, rows);
  return ['users', 'credentials', ...Object.keys(tables)];
}
