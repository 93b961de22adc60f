import { buffer } from 'node:stream/consumers';
import { ConsoleAccounts } from '../../accounts/console-accounts.js';
import { withAdministration } from '../application.js';
import { hashPassword } from '../../platform/access/basic/password-checks.js';
import type { Runs } from '../commands.js';
import { runAudited } from '../run-audited.js';

export const accountCommands: Runs<'account' | 'password'> = {
  /**
   * Resets an account to a new password, which its owner must change at sign-in, and ends its sessions.
   *
   * @throws ApiError E0044R if there is no such account
   */
  'account reset': ({ options, name }) =>
    withAdministration(options, async (app) => {
      const access = await runAudited(app, { action: 'account.reset', target: name }, (call) =>
        app.get(ConsoleAccounts).reset(call, name, 'password'),
      );
      if (!access) {
        console.log(
          'Nothing was reset. Its password is the one in the configuration (--admin-password, --accounts), else in the file ' +
            'admin-password of the data folder, unless it signs in at the OpenID provider.',
        );
        return;
      }
      console.log(access.secret);
      console.error(
        'This is the only time that the password is shown. It must be changed at the first sign-in on the page.',
      );
    }),

  /**
   * Decides whether a local account may sign in with `--console-local break-glass`.
   *
   * @throws ApiError E0044R if there is no such account; E0045R for one of the OpenID provider
   */
  'account break-glass': ({ options, name, off }) =>
    withAdministration(options, (app) =>
      runAudited(app, { action: 'account.break-glass', target: name }, (call) =>
        app.get(ConsoleAccounts).setBreakGlass(call, name, !off),
      ),
    ),

  /**
   * Prints the hash of the password on standard input, for the file of `--accounts`. A trailing line end is
   * ignored.
   *
   * @throws Error if there is no password, or it is not UTF-8
   */
  'password hash': async () => {
    if (process.stdin.isTTY) console.error('Password (it is shown; end with Enter and Ctrl-D):');
    const password = utf8Text(await buffer(process.stdin)).replace(/\r?\n$/, '');
    if (!/^[^\0\r\n]+$/.test(password)) {
      throw new Error('The password must be one line, and not empty.');
    }
    console.log(await hashPassword(password));
  },
};

/** Decodes exactly these bytes: a byte order mark is kept, and no byte is replaced. */
function utf8Text(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new Error('The password must be UTF-8.', { cause });
  }
}
