import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { AccountRows } from '../accounts/account-rows.js';
import { LOCKED_OUT } from './key.statements.js';

/**
 * Logs accounts at start that cannot sign in: their rule requires a key alone, and none of their keys has
 * user verification that counts. Earlier versions accepted such keys.
 */
@Injectable()
export class LockedOutAccounts implements OnApplicationBootstrap {
  private readonly logger = new Logger(LockedOutAccounts.name);

  constructor(
    private readonly database: Database,
    private readonly rows: AccountRows,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    for (const row of await this.database.query(LOCKED_OUT)) {
      const name = row.name.toString('utf8');
      if (!(await this.rows.ownerOf({ name, role: row.role }))) continue;
      this.logger.warn(
        `The account ${JSON.stringify(name)} signs in by a key alone, and has none that verified its user ` +
          'when it was added: "servicefido account reset NAME" lets it in by a password again.',
      );
    }
  }
}
