import { writeFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { AccountEntry, AccountRole } from '../../src/platform/config/files/accounts-file.js';
import { hashPassword } from '../../src/platform/access/basic/password-checks.js';
import { Client } from './client.js';
import { testFile } from './test-file.js';

/** The password of every account that tests make. */
export const PASSWORD = 'correct: häschen';

/** Without a password: that is the same for all. */
export type TestAccount = Omit<AccountEntry, 'password'>;

/** One account of each role but admin, and one of each role that is limited to tenant `acme`. */
export const ACCOUNTS: readonly TestAccount[] = [
  { name: 'helpdesk', role: 'helpdesk' },
  { name: 'lead', role: 'lead' },
  { name: 'finance', role: 'finance' },
  { name: 'auditor', role: 'auditor' },
  ...(['admin', 'helpdesk', 'lead', 'finance', 'auditor'] satisfies AccountRole[]).map((role) => ({
    name: `acme-${role}`,
    role,
    tenants: ['acme'],
  })),
];

/** Of the cost 2 ** 4, where the server's own hashes have 2 ** 15. */
const HASH = await hashPassword(PASSWORD, 4);

const textOf = (accounts: readonly TestAccount[]) =>
  stringify({ accounts: accounts.map((one) => ({ ...one, password: HASH })) });

export const writeAccounts = (file: string, accounts: readonly TestAccount[]): void =>
  writeFileSync(file, textOf(accounts));

/** A file for the option --accounts. */
export const accountsFile = (accounts = ACCOUNTS): string => testFile(textOf(accounts));

/** A client that signs in with an account of the file. */
export function clientOf(url: string, name: string, password = PASSWORD): Client {
  const pair = Buffer.from(`${name}:${password}`).toString('base64');
  return new Client(url, { authorization: `Basic ${pair}` });
}
