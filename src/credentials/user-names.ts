import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock.js';
import { Database } from '../database/database.js';
import { isUniqueViolation } from '../database/commit/unique-violation.js';
import { scopeParams } from '../database/scope.js';
import { foldedName } from '../validation/folded-name.js';
import { CHANGE_NAMES } from './change.statements.js';
import { keepEarlierName } from './earlier-names/earlier-names.js';
import { rewordSteps } from './search/word-steps.js';
import type { FoundUser } from './user-rows.js';

/** What a user is called, in NFC. */
export interface Names {
  readonly username: string;
  readonly displayName: string;
}

const bytesOf = (name: string): Buffer => Buffer.from(name, 'utf8');

/** Changes what users are called; keys, handle and subject stay. */
@Injectable()
export class UserNames {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /**
   * Gives a user both names, if the user is still called as it was found. The unique key of names decides
   * of two who want the same one. The name of before is kept with the time until when it was the user's.
   *
   * @returns `taken` where another user has the name, `gone` where the user is not there any more by the old
   */
  async change(user: FoundUser, names: Names): Promise<'changed' | 'taken' | 'gone'> {
    const { id, relyingParty } = user;
    const folded = bytesOf(foldedName(names.username));
    const given = [bytesOf(names.username), names.displayName, folded];
    const params = [...given, ...scopeParams(relyingParty), id, bytesOf(user.username)];
    try {
      const step = { sql: CHANGE_NAMES, params, guard: true };
      const words = rewordSteps(this.database.kind, { ...names, id, relyingParty });
      const isCalledOtherwise = names.username !== user.username;
      const kept = isCalledOtherwise ? [keepEarlierName(user, this.clock.now())] : [];
      return (await this.database.commit([step, ...kept, ...words])) ? 'changed' : 'gone';
    } catch (error) {
      if (isUniqueViolation(error)) return 'taken';
      throw error;
    }
  }
}
