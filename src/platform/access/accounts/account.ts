import type { Request } from 'express';
import { fromRequest } from '../../common/from-request.js';
import type { AccountEntry } from '../../config/files/accounts-file.js';

export type Role = AccountEntry['role'];

/** What an application key may do: see docs/keys.md. */
export interface KeyRights {
  /** ID of the key's row, Base64URL. */
  readonly id: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  /** IDs of the relying parties' rows, Base64URL; all of its tenant where it is absent. */
  readonly relyingParties?: readonly string[];
}

/** Who works in the administration: a person by session or HTTP Basic, a script, or an application's key. */
export interface Account {
  readonly name: string;
  readonly role: Role | 'key';
  /** Names of the tenants that it may see; every tenant where it is absent. */
  readonly tenants?: readonly string[];
  /** Only of an application key, whose role is `key`. */
  readonly key?: KeyRights;
  /** What its owner must do first: until then it may change only how it signs in itself. */
  readonly pending?: 'password' | 'key';
  /** ID of the session, Base64URL, where a browser has one. */
  readonly session?: string;
}

/** The account of everybody who reaches the server with `--auth off`: its administrator. */
export const ANYBODY: Account = { name: 'anybody', role: 'admin' };

/** The account of a person who works on the machine itself: its command line, or the options of a start. */
export const OPERATOR: Account = { name: 'operator', role: 'admin' };

/** Whether the account may see a tenant's data. */
export const seesTenant = ({ tenants }: Account, tenant: string): boolean =>
  tenants === undefined || tenants.includes(tenant);

/** The account of a request that passed `CallerGuard`; `undefined` where none was asked for. */
export const accountOf = (request: Request): Account | undefined =>
  request.user as Account | undefined;

/** The account that sent the request; only behind `Allow`. */
export const CurrentAccount = fromRequest((request): Account => accountOf(request) ?? ANYBODY);

/** The account that sent the request, where there is one: behind `OptionalCallerGuard`. */
export const AnyAccount = fromRequest(accountOf);
