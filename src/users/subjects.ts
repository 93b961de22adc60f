import { Injectable } from '@nestjs/common';
import type { Step } from '../platform/database/commit/unit.js';
import { Database } from '../platform/database/database.js';
import { scope } from '../platform/database/scope.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { BIND_SUBJECT, USER_BY_SUBJECT } from './credentials/credential.statements.js';

/**
 * What a customer's own application calls its users: one name each, for good. Few calls bring one, so
 * that this stands beside the statements of the four calls.
 */
@Injectable()
export class Subjects {
  constructor(private readonly database: Database) {}

  /** The row's ID of the user whom the application calls so. */
  async find(rp: RelyingParty, subject: string): Promise<Buffer | undefined> {
    const params = { ...scope(rp), subject: Buffer.from(subject, 'utf8') };
    const [row] = await this.database.query(USER_BY_SUBJECT, params);
    return row?.id;
  }

  /** The step that gives a user a subject; its unit fails where the user has one, or another user has this. */
  binding(rp: RelyingParty, user: Buffer, subject: string): Step {
    return BIND_SUBJECT.guard({ ...scope(rp), id: user, subject: Buffer.from(subject, 'utf8') });
  }
}
