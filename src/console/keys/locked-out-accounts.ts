import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { AccountRows } from '../accounts/account-rows.js';
import { LOCKED_OUT } from './key.statements.js';

/**
 * Names accounts at start that cannot sign in: by their rule a key alone signs in, and the user verification
 * of none of their keys counts. Earlier versions let such keys in.
 */
@Injectable()
export class LockedOutAccounts implements OnApplicationBootstrap {
  constructor(
    private readonly database: Database,
    private readonly rows: AccountRows,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const row of await this.database.query(LOCKED_OUT)) {
      const name = row.name.toString('utf8');
      if (!(await this.rows.ownerOf({ name, role: row.role }))) continue;
      Logger.warn(
        `The account ${JSON.stringify(name)} signs in by a key alone, and has none that verified its user ` +
          'when it was added: "servicefido account reset NAME" lets it in by a password again.',
        'Security',
      );
    }
  }
}
