import { createHmac, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import { BasicStrategy as PassportBasicStrategy } from 'passport-http';
import { ApiError } from '../errors/api-error.js';
import { AdminAccount } from './admin-account.js';
import { FailedLogins } from './failed-logins.js';

export interface AdminUser {
  readonly name: string;
}

/** How long an Authorization header that was right need not be derived by scrypt again. */
const REMEMBERED_MS = 5 * 60 * 1000;

/** HTTP Basic (RFC 7617) through passport-http. */
@Injectable()
export class BasicStrategy extends PassportStrategy(PassportBasicStrategy, 'basic') {
  /** Known only to this process, so that what is remembered is of use to nobody else. */
  private readonly pepper = randomBytes(32);
  private readonly remembered = new LRUCache<string, AdminUser>({ max: 100, ttl: REMEMBERED_MS });

  constructor(
    private readonly admin: AdminAccount,
    private readonly failures: FailedLogins,
  ) {
    super({ passReqToCallback: true, realm: 'ServiceFido' });
  }

  /** Reads the header itself: passport-http cuts a password at its first colon. */
  async validate(request: Request): Promise<AdminUser | false> {
    const header = request.headers.authorization ?? '';
    const digest = createHmac('sha256', this.pepper).update(header).digest('base64');
    const known = this.remembered.get(digest);
    if (known) return known;

    const [user, password] = credentialsOf(header);
    const wait = await this.failures.wait(request.ip, user);
    if (wait > 0)
      throw new ApiError('E0040R', undefined, { headers: { 'Retry-After': `${wait}` } });
    if (!(await this.admin.matches(user, password))) {
      await this.failures.add(request.ip, user);
      return false;
    }
    const account = { name: user };
    this.remembered.set(digest, account);
    return account;
  }
}

/** RFC 7617 §2: one Base64 text, and the first colon ends the name; nothing lenient about either. */
function credentialsOf(header: string): [user: string, password: string] {
  const [, token = ''] = /^basic +([a-z0-9+/]+={0,2})$/i.exec(header) ?? [];
  const text = Buffer.from(token, 'base64').toString('utf8');
  const [, user = '', password = ''] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  return [user, password];
}
