import { hash } from 'node:crypto';
import type { Request } from 'express';
import { fromRequest } from '../../common/from-request.js';
import type { AccountRole } from '../../config/files/accounts-file.js';

/** An application key and its permissions: see docs/keys.md. */
export interface ApplicationKeyGrant {
  /** ID of the key's row, Base64URL. */
  readonly id: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  /** Row IDs of the relying parties, Base64URL; if absent, all of its tenant. */
  readonly relyingParties?: readonly string[];
}

/** A caller of the administration: somebody with a session or HTTP Basic, a script, or an application key. */
export interface Account {
  readonly name: string;
  readonly role: AccountRole | 'key';
  /** Names of the tenants that it may see; if absent, every tenant. */
  readonly tenants?: readonly string[];
  /** Set only for an application key, whose role is `key`. */
  readonly key?: ApplicationKeyGrant;
  /** What its owner must set up first: until then the account may only change how it signs in itself. */
  readonly pending?: 'password' | 'key';
  /** ID of the session, Base64URL, if a browser has one. */
  readonly session?: string;
}

/** The account of every caller with `--auth off`, which may do everything. */
export const ANYBODY: Account = { name: 'anybody', role: 'admin' };

/** The account of an operator who works on the machine itself: the command line, or the options at the start. */
export const OPERATOR_ACCOUNT: Account = { name: 'operator', role: 'admin' };

export const seesTenant = ({ tenants }: Account, tenant: string): boolean =>
  tenants === undefined || tenants.includes(tenant);

/** The tenant of an account that is limited to one; `undefined` for all others. */
export function onlyTenantOf({ tenants = [] }: Account): string | undefined {
  return tenants.length === 1 ? tenants[0] : undefined;
}

/**
 * The account of a request that has passed `CallerGuard` or `OptionalCallerGuard`; `undefined` if none was required. Use `callerOf` to decide
 * what the caller may do.
 */
export const accountOf = (request: Request): Account | undefined =>
  request.user as Account | undefined;

/** The account of a request, or `ANYBODY` if none was required. */
export const callerOf = (request: Request): Account => accountOf(request) ?? ANYBODY;

/** The account that sent the request; requires `Allow`. */
export const CurrentAccount = fromRequest(callerOf);

/**
 * Name of the record that an account has hidden the list of first steps. It contains a digest, since account names may
 * be longer than the name of a record.
 */
export const hiddenStepsOf = (name: string): string =>
  `first-steps ${hash('sha256', name, 'base64url')}`;
