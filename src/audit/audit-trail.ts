import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { ANYBODY, accountOf, type Account } from '../platform/access/accounts/account.js';
import type { AuditAction } from './actions.js';
import { AuditLog } from './audit-log.js';
import type { AuditDetail, AuditEntry } from './audit-entry.js';

/** What an audited call does and to whom. Handlers add what only they know. */
export interface AuditNote {
  action: AuditAction;
  tenant?: string | undefined;
  relyingParty?: string | undefined;
  /** A user name, a filter or a domain, as it was sent. */
  target?: string | undefined;
  /** Few further facts, such as how many rows; never a secret. */
  detail?: AuditDetail | undefined;
  /** Set where a call was answered with a page, but did not do what it was for. */
  refused?: true;
  /**
   * What each row of the call has instead of the members above. Empty where the units of the changes have
   * stored all rows already.
   */
  each?: readonly AuditedPerson[];
}

/** One of several people whom a call changed. */
export type AuditedPerson = Pick<AuditNote, 'tenant' | 'relyingParty' | 'target' | 'detail'> & {
  /** Where the call's own action is another one. */
  readonly action?: AuditAction;
};

/** Makes the rows of users whom a call changes; each is stored in the unit of that change. */
export interface UserRows {
  readonly requestId: string;
  of(user: AuditedPerson): AuditEntry;
}

declare module 'express-serve-static-core' {
  interface Request {
    /** The note of an audited call, until its row is written. */
    auditNote?: AuditNote | undefined;
  }
}

/** Writes a row for each audited request, or for each person whom it changed, be it done or refused. */
@Injectable()
export class AuditTrail {
  constructor(private readonly log: AuditLog) {}

  /**
   * Checks, before a change is made, that its row can be written.
   *
   * @throws ApiError E0052R where it cannot, else the driver's error; nothing was changed then
   */
  async ready({ auditNote }: Request): Promise<void> {
    if (auditNote) await this.log.ready();
  }

  /**
   * Stores the row of a change that was made, before the answer leaves.
   *
   * @throws the driver's error: the change was made, but is answered by the database's error
   */
  async succeeded(request: Request): Promise<void> {
    const { refused, each = [{}] } = request.auditNote ?? {};
    const entry = takeEntry(request, { result: refused ? 'refused' : 'ok' });
    if (!entry) return;
    await Promise.all(each.map((person) => this.log.append({ ...entry, ...person })));
  }

  /**
   * Stores the row of a change that was refused to a known account. A refusal remains even where its row
   * cannot be stored; the log says so then.
   *
   * @returns `undefined` where there is nothing to write
   */
  refused(request: Request, code: string | null): Promise<void> | undefined {
    const entry = takeEntry(request, { result: 'refused', code: code ?? undefined });
    return (
      entry &&
      this.log.append(entry).catch((error: unknown) => {
        Logger.error(`A refusal has no audit row (${entry.requestId}): ${String(error)}`, 'Audit');
      })
    );
  }
}

/**
 * The rows of users whom a call changes. They have what the call's note says when they are made, also after
 * the call was answered.
 */
export function userRowsOf(request: Request): UserRows {
  const { auditNote = { action: 'users.change' }, requestId } = request;
  const caller = callerOf(request, accountOf(request) ?? ANYBODY);
  return {
    requestId,
    of: (user) => ({ ...caller, ...onlyTexts(auditNote), result: 'ok', ...user }),
  };
}

/** Takes the entry away from the request, so that it is written only once. */
function takeEntry(
  request: Request,
  outcome: Pick<AuditEntry, 'result' | 'code'>,
): AuditEntry | undefined {
  const { auditNote } = request;
  const account = accountOf(request);
  request.auditNote = undefined;
  if (!auditNote || !account) return undefined;
  return { ...callerOf(request, account), ...onlyTexts(auditNote), ...outcome };
}

const callerOf = ({ requestId, ip = '' }: Request, { name, role }: Account) => ({
  account: name,
  role,
  address: ip,
  requestId,
});

/** Leaves out what is no text: parameters that were sent twice are arrays, and JSON holds anything. */
function onlyTexts({ action, detail, ...texts }: AuditNote) {
  const { tenant, relyingParty, target } = texts;
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  return {
    action,
    detail,
    tenant: text(tenant),
    relyingParty: text(relyingParty),
    target: text(target),
  };
}
