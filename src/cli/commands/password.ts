import { text } from 'node:stream/consumers';
import { hashPassword } from '../../platform/access/basic/password.js';

/**
 * Prints the hash of the password on standard input, for the file of `--accounts`. A line end after it is not
 * part of it.
 *
 * @throws Error when there is no password
 */
export async function printPasswordHash(): Promise<void> {
  if (process.stdin.isTTY) console.error('Password (it is shown; end with Enter and Ctrl-D):');
  const password = (await text(process.stdin)).replace(/\r?\n$/, '');
  if (!/^[^\0\r\n]+$/.test(password)) {
    throw new Error('The password must be one line, and not empty.');
  }
  console.log(await hashPassword(password));
}
