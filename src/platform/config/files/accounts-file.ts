import { isAccountName, normalizeName } from '../../validation/values/names.js';
import { isObject } from '../../validation/field-validator.js';
import { OptionMistakes } from '../option-types.js';
import type { ServerOptions } from '../server-config.js';
import { PROGRAM } from '../../program.js';
import { readYamlFile } from './option-file.js';

/**
 * The roles of accounts. `admin` does everything; `helpdesk` lists, disables, enables and deletes
 * keys; `lead` deletes users too; `finance` sees invoices; `auditor` reads everything and changes nothing.
 */
export const ROLES = ['admin', 'helpdesk', 'lead', 'finance', 'auditor'] as const;
export type AccountRole = (typeof ROLES)[number];

export interface AccountEntry {
  readonly name: string;
  readonly role: AccountRole;
  readonly password: string;
  /** Names of the tenants that it may see; if absent, every tenant. */
  readonly tenants?: readonly string[];
}

export type AccountEntries = ReadonlyMap<string, AccountEntry>;

const KEYS = ['name', 'role', 'password', 'tenants'];
/** A password hash as `./servicefido password hash` prints it; a hash of another cost has this number at its end. */
export const PASSWORD_HASH = /^scrypt\$[\w-]{22}\$[\w-]{43}(?:\$(?:[1-9]|1\d|20))?$/;
/** Names that the audit trail uses for callers without an account. */
const CALLERS: readonly string[] = ['anybody', 'cli', 'invitation', 'operator'];
/** Names that no new account may have; version 1.0 allowed the last three. */
export const RESERVED_NAMES: readonly string[] = [...CALLERS, 'policy', 'system', 'user'];

/** The end of the names of accounts of the OpenID provider. Local accounts have none such. */
export const PROVIDER_SUFFIX = ' (oidc)';

type Options = Pick<ServerOptions, 'accounts' | 'adminUser'> &
  Partial<Pick<ServerOptions, 'consoleOidc'>>;

/**
 * Reads the accounts of `--accounts FILE`, by name; none without a file.
 *
 * @throws OptionMistakes with all mistakes of the file
 */
export function readAccounts({ accounts, adminUser, consoleOidc }: Options): AccountEntries {
  if (accounts === undefined) return new Map();
  const content = readYamlFile('--accounts', accounts);
  const list = isObject(content) && Object.keys(content).length === 1 && content['accounts'];
  if (!Array.isArray(list)) {
    const sentence = 'must hold a list named "accounts", and nothing else';
    throw new OptionMistakes([`--accounts: ${accounts}: ${sentence}`]);
  }
  const mistakes: string[] = [];
  const wrong = (sentence: string) => mistakes.push(`--accounts: ${accounts}: ${sentence}`);
  const found = new Map<string, AccountEntry>();
  for (const [n, entry] of list.entries()) {
    const at = `accounts[${n}]`;
    const faults = faultsOf(entry);
    for (const fault of faults) wrong(`${at} ${fault}`);
    if (faults.length > 0) continue;
    const name = normalizeName((entry as AccountEntry).name);
    if (found.has(name)) wrong(`${at} has the name of another account`);
    else if (name === normalizeName(adminUser)) wrong(`${at} has the name of --admin-user`);
    else if (consoleOidc !== undefined && name.endsWith(PROVIDER_SUFFIX))
      wrong(`${at} may not end with "${PROVIDER_SUFFIX}", as accounts of --console-oidc do`);
    else found.set(name, { ...distinctTenants(entry as AccountEntry), name });
  }
  if (mistakes.length > 0) throw new OptionMistakes(mistakes);
  return found;
}

/** Everything that is wrong with an entry; an empty list means that it is an `AccountEntry`. */
function faultsOf(entry: unknown): string[] {
  if (!isObject(entry)) return ['must hold name, role and password'];
  const { name, role, password, tenants } = entry;
  const faults = Object.keys(entry)
    .filter((key) => !KEYS.includes(key))
    .map((key) => `has "${key}", which means nothing`);
  const check = (right: boolean, fault: string) => right || faults.push(fault);
  check(isAccountName(name), 'needs a "name" without a colon, other than . and ..');
  check(!CALLERS.includes(name as string), `may not be named ${CALLERS.join(' or ')}`);
  check(ROLES.includes(role as AccountRole), `needs a "role": ${ROLES.join(', ')}`);
  check(
    typeof password === 'string' && PASSWORD_HASH.test(password),
    `needs a "password" as "${PROGRAM} password hash" prints it`,
  );
  check(
    tenants === undefined || isNameList(tenants),
    '"tenants" must be a list of tenants\' names',
  );
  return faults;
}

const isNameList = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');

const distinctTenants = ({ tenants, ...entry }: AccountEntry): AccountEntry =>
  tenants ? { ...entry, tenants: [...new Set(tenants)] } : entry;
