import { Injectable } from '@nestjs/common';
import type { Step } from '../platform/database/commit/unit.js';
import { Database } from '../platform/database/database.js';
import type { Query } from '../platform/database/database.js';
import { scopeParams } from '../platform/database/scope.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { BIND_SUBJECT, USER_BY_SUBJECT } from './credentials/credential.statements.js';

/**
 * What a customer's own application calls its users: one name each, for good. Few calls bring one, so
 * that this stands beside the statements of the four calls.
 */
@Injectable()
export class Subjects {
  private readonly bySubject: Query<{ id: Buffer }>;

  constructor(database: Database) {
    this.bySubject = database.query(USER_BY_SUBJECT, { small: true });
  }

  /** The row's ID of the user whom the application calls so. */
  async find(rp: RelyingParty, subject: string): Promise<Buffer | undefined> {
    const [row] = await this.bySubject.all(...scopeParams(rp), Buffer.from(subject, 'utf8'));
    return row?.id;
  }

  /** The step that gives a user a subject; its unit fails where the user has one, or another user has this. */
  binding(rp: RelyingParty, user: Buffer, subject: string): Step {
    const params = [Buffer.from(subject, 'utf8'), ...scopeParams(rp), user];
    return { sql: BIND_SUBJECT, params, guard: true };
  }
}
