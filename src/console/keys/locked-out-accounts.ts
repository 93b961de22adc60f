import { Injectable, Logger } from '@nestjs/common';
import type { OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Query } from '../../platform/database/database.js';
import { AccountRows } from '../accounts/account-rows.js';
import type { ConsoleAccount } from '../accounts/console-account.entity.js';
import { LOCKED_OUT } from './key.statements.js';

type Row = Pick<ConsoleAccount, 'role'> & { readonly name: Buffer };

/**
 * Names accounts at start that cannot sign in: by their rule a key alone signs in, and the user verification
 * of none of their keys counts. Earlier versions let such keys in.
 */
@Injectable()
export class LockedOutAccounts implements OnApplicationBootstrap {
  private readonly lockedOut: Query<Row>;

  constructor(
    database: Database,
    private readonly rows: AccountRows,
  ) {
    this.lockedOut = database.query(LOCKED_OUT);
  }

  async onApplicationBootstrap(): Promise<void> {
    for (const row of await this.lockedOut.all()) {
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
