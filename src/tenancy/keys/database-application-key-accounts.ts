import { timingSafeEqual } from 'node:crypto';
import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../platform/common/clock.js';
import { BoundedMap } from '../../platform/common/caching.js';
import { Database } from '../../platform/database/database.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { ApplicationKeyAccounts } from '../../platform/access/accounts/application-key-accounts.js';
import { isSecret, secretHash, visiblePrefix } from '../../platform/access/accounts/key-secret.js';
import { KEYS_BY_PREFIX, NOTE_USE, type ApplicationKeyRow } from './application-key.statements.js';

/** The header that RFC 6750 §3.1 requires with the refusal of a token. */
const CHALLENGE = { 'WWW-Authenticate': 'Bearer realm="ServiceFido", error="invalid_token"' };

/** The accuracy of `lastUsedAt`. */
const USE_ACCURACY_MS = 60_000;
const MAX_NOTED = 10_000;

/**
 * Finds the key of a secret. Reads the row on each call with one prepared statement and caches nothing: a
 * revoked key or closed tenant takes effect everywhere at once.
 */
@Injectable()
export class DatabaseApplicationKeyAccounts extends ApplicationKeyAccounts {
  private readonly logger = new Logger(DatabaseApplicationKeyAccounts.name);

  /** When this process last recorded a use of each key: simultaneous calls record it once. */
  private readonly noted = new BoundedMap<number>(MAX_NOTED);

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  async authenticate(secret: string): Promise<Account> {
    if (!isSecret(secret)) throw refusal('An application key is malformed.');
    const hash = secretHash(secret);
    const rows = await this.database.query(KEYS_BY_PREFIX, { prefix: visiblePrefix(secret) });
    const row = rows.find((one) => timingSafeEqual(one.secretHash, hash));
    if (!row) throw refusal(`The application key ${visiblePrefix(secret)} is unknown.`);
    const now = this.clock.now();
    const fault = faultOf(row, now);
    if (fault !== undefined) throw refusal(fault);
    this.noteUse(row, now);
    return applicationAccount(row);
  }

  /** Not awaited. If it cannot be stored, a call of the next minute is recorded instead. */
  private noteUse({ id, lastUsedAt }: ApplicationKeyRow, now: number): void {
    const key = id.toString('base64url');
    const last = Math.max(lastUsedAt ?? 0, this.noted.get(key) ?? 0);
    if (now - last < USE_ACCURACY_MS) return;
    this.noted.set(key, now);
    this.database
      .commit([NOTE_USE.step({ id, now, before: now - USE_ACCURACY_MS })], { background: true })
      .catch((error: unknown) => this.logger.debug(`A key's use was not noted: ${error}`));
  }
}

/** The log says what is wrong with the key; the answer does not. */
const refusal = (detail: string) =>
  new ApiError(
    'E0042R',
    'applicationKey.invalid',
    {},
    { headers: CHALLENGE, cause: new Error(detail) },
  );

/** Why the key cannot be used, in a sentence for the log. */
function faultOf(row: ApplicationKeyRow, now: number): string | undefined {
  const key = `The application key ${row.prefix}`;
  if (row.revokedAt !== null) return `${key} is revoked.`;
  if (row.closedAt !== 0) return `${key} is of a tenant that was removed.`;
  if (row.suspendedAt !== null) return `${key} is suspended since a backup was restored.`;
  return row.expiresAt !== null && row.expiresAt <= now ? `${key} has expired.` : undefined;
}

/** Never equals the name of another account, because those contain no colon. */
function applicationAccount(row: ApplicationKeyRow): Account {
  const { tenant, relyingParties } = row;
  return {
    name: `key:${row.name} (${row.prefix})`,
    role: 'key',
    tenants: [tenant],
    key: {
      id: row.id.toString('base64url'),
      tenant,
      scopes: JSON.parse(row.scopes) as string[],
      ...(relyingParties !== null && { relyingParties: JSON.parse(relyingParties) as string[] }),
    },
  };
}
