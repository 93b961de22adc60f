import type { CommandLine } from '../../platform/config/load-options.js';
import { ConsoleAccounts } from '../../console/accounts/console-accounts.service.js';
import { withAdministration } from '../application.js';
import { audited } from './audit.js';

/**
 * Lets an account sign in with only a password again, and ends its sessions.
 *
 * @throws ApiError E0044R when there is no such account
 */
export const resetAccount = ({ options, words: [name = ''] }: CommandLine): Promise<void> =>
  withAdministration(options, async (app) => {
    const password = await audited(app, { action: 'account.reset', target: name }, () =>
      app.get(ConsoleAccounts).reset(name),
    );
    if (password === undefined) {
      console.log('Its password is the one in the configuration (--admin-user, --accounts).');
      return;
    }
    console.log(password);
    console.error('This is the only time that the password is shown.');
  });
