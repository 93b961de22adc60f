import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isReading } from '../../platform/access/cross-site.guard.js';
import { MINUTE_MS } from '../../platform/common/durations.js';
import { sha256 } from '../../platform/common/sha256.js';
import { Database } from '../../platform/database/database.js';
import { nextSessionSecret, writeCookie, type SessionName } from './session-cookie.js';
import { NOTE_SESSION_USE, ROTATE_SESSION, type ReadSession } from './session.statements.js';

/** How long a secret is used before the next page replaces it. */
const ROTATE_MS = 15 * MINUTE_MS;

/** Notes the use of sessions, which keeps them alive, and replaces their secrets. */
@Injectable()
export class SessionUse {
  constructor(private readonly database: Database) {}

  /** Extends a session, unless only a script of a page uses it; replaces its secret when a page is read. */
  async note(request: Request, row: ReadSession, name: SessionName): Promise<void> {
    if (!isByUser(request)) return;
    const { now } = row;
    if (request.method === 'GET') await this.renew(request, row, name);
    if (now - row.usedAt < MINUTE_MS) return;
    const use = { id: name.id, now, before: now - MINUTE_MS };
    await this.database.store([NOTE_SESSION_USE.step(use)]);
  }

  /** Replaces a secret that has been used long enough; sends it again to a browser that did not receive it. */
  private async renew(
    request: Request,
    row: ReadSession,
    { id, secret }: SessionName,
  ): Promise<void> {
    const { now } = row;
    if (!row.secretHash.equals(sha256(secret))) {
      const next = nextSessionSecret(secret, row);
      if (row.secretHash.equals(sha256(next))) writeCookie(request, { id, secret: next });
    } else if (now - row.rotatedAt >= ROTATE_MS) {
      const next = nextSessionSecret(secret, { ...row, rotatedAt: now });
      // Of simultaneous requests only one replaces it.
      const hashes = { secretHash: row.secretHash, newSecretHash: sha256(next) };
      const rotation = ROTATE_SESSION.mustChange({ id, now, ...hashes });
      if (await this.database.commit([rotation])) writeCookie(request, { id, secret: next });
    }
  }
}

/** Whether the user opened a page or sent a form: requests that pages make by script keep no session alive. */
const isByUser = (request: Request): boolean =>
  !isReading(request) || (request.headers['sec-fetch-mode'] ?? 'navigate') === 'navigate';
