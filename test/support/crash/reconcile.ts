import { readRows } from '../read-rows.js';
import type { Journal, UserUnderFire } from './users-under-fire.js';

interface Stored {
  readonly username: Buffer;
  readonly credentials: number;
  readonly enabled: number;
  readonly signCount: number;
}

const USERS = `SELECT u.username, COUNT(c.id) AS credentials, COALESCE(SUM(c.enabled), 0) AS enabled,
    COALESCE(MAX(c.sign_count), 0) AS signCount
  FROM users u LEFT JOIN credentials c ON c.user_id = u.id GROUP BY u.id, u.username`;

const SIGN_INS = `SELECT username, COUNT(*) AS n FROM events
  WHERE kind = 'authentication' GROUP BY username`;

/** Counts that must be 0 in a database without half-done changes. */
const HALVES = {
  'users without a credential': `SELECT COUNT(*) AS n FROM users u
    WHERE NOT EXISTS (SELECT 1 FROM credentials c WHERE c.user_id = u.id)`,
  'credentials without a user': `SELECT COUNT(*) AS n FROM credentials c
    WHERE NOT EXISTS (SELECT 1 FROM users u WHERE u.id = c.user_id)`,
  'credentials whose events do not add up': `SELECT
      (SELECT COUNT(*) FROM events WHERE kind = 'registration')
      - (SELECT COUNT(*) FROM events WHERE kind = 'deleted')
      - (SELECT COUNT(*) FROM credentials) AS n`,
  'users whose events do not add up': `SELECT
      (SELECT COUNT(*) FROM events WHERE kind = 'user-created')
      - (SELECT COUNT(*) FROM events WHERE kind = 'user-deleted')
      - (SELECT COUNT(*) FROM users) AS n`,
  'disabled credentials whose events do not add up': `SELECT
      (SELECT COUNT(*) FROM events WHERE kind = 'disabled')
      - (SELECT COUNT(*) FROM events WHERE kind = 'deleted' AND detail = 'disabled')
      - (SELECT COUNT(*) FROM credentials WHERE enabled = 0) AS n`,
  'gaps in the numbers of statements': `SELECT COALESCE(MAX(number), 0) - COUNT(*) AS n FROM invoices
      WHERE series = 'statement'`,
} as const;

/** Changes that were acknowledged and are not in the database, each in words. */
export async function lostFrom(url: string, journal: Journal): Promise<string[]> {
  const users = new Map(
    (await readRows<Stored>(url, USERS)).map((row) => [row.username.toString(), row]),
  );
  const signIns = new Map(
    (await readRows<{ username: Buffer; n: number }>(url, SIGN_INS)).map(
      ({ username, n }): [string, number] => [username.toString(), Number(n)],
    ),
  );
  const numbers = await readRows<{ number: number }>(url, 'SELECT number FROM invoices');
  const stored = new Set(numbers.map(({ number }) => `S-${number}`));
  return [
    ...journal.users
      .filter((user) => !keeps(user, users.get(user.username)))
      .map(({ username, known }) => `${username}: ${known}`),
    ...journal.users
      .filter((user) => (signIns.get(user.username) ?? 0) < user.signIns)
      .map(({ username }) => `${username}: sign-in`),
    ...[...journal.statements].filter((n) => !stored.has(n)).map((n) => `statement ${n}`),
  ];
}

/** Whether the stored state is the acknowledged one, or that of a later request. */
function keeps({ known, asked, signCount }: UserUnderFire, stored: Stored | undefined): boolean {
  if (!stored) return known === 'deleted' || asked === 'deleted';
  if (known === 'deleted' || Number(stored.credentials) !== 1) return false;
  if (Number(stored.signCount) < signCount) return false;
  const enabled = Number(stored.enabled) === 1;
  return enabled ? known !== 'disabled' : known === 'disabled' || asked === 'disabled';
}

/** One statement, since suites look after each of hundreds of kills. */
const ALL_HALVES = Object.entries(HALVES)
  .map(([what, sql]) => `SELECT '${what}' AS what, (${sql}) AS n`)
  .join(' UNION ALL ');

/** Half-done changes, in words. */
export async function halfDoneIn(url: string): Promise<string[]> {
  const rows = await readRows<{ what: string; n: number }>(url, ALL_HALVES);
  return rows.filter(({ n }) => Number(n) !== 0).map(({ what, n }) => `${what}: ${n}`);
}
