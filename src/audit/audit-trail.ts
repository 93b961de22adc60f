import { Injectable, Logger } from '@nestjs/common';
import type { Request } from 'express';
import { accountOf } from '../security/account.js';
import type { AuditAction } from './actions.js';
import { AuditLog } from './audit-log.js';
import type { AuditDetail, AuditEntry } from './audit-row.js';

/** What an audited call does and to whom. Handlers complete what only they know. */
export interface AuditNote {
  action: AuditAction;
  tenant?: string | undefined;
  relyingParty?: string | undefined;
  /** A user name, a filter, a domain: as it was sent. */
  target?: string | undefined;
  /** Few further facts, such as how many rows; never a secret. */
  detail?: AuditDetail | undefined;
  /** Of a call that did not do what it was for, though it was answered with a page. */
  refused?: true;
  /** Of a change of several people: each has a row, which is found under the name; with the members above. */
  each?: readonly AuditedPerson[];
}

/** One of several people whom a call changed. */
export type AuditedPerson = Pick<AuditNote, 'tenant' | 'relyingParty' | 'target' | 'detail'>;

declare module 'express-serve-static-core' {
  interface Request {
    /** The note of an audited call, until its row is written. */
    auditNote?: AuditNote | undefined;
  }
}

/** Writes a row for each audited request, or for each whom it changed, whatever comes of it. */
@Injectable()
export class AuditTrail {
  constructor(private readonly log: AuditLog) {}

  /**
   * Whether the row of what is about to be changed can be written.
   *
   * @throws ApiError E0052R where it cannot, else the driver's error; nothing was changed then
   */
  async ready({ auditNote }: Request): Promise<void> {
    if (auditNote) await this.log.ready();
  }

  /**
   * The row of a change that is made. Stored before the answer leaves.
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
   * The row of a change that is refused, to an account that is known. A refusal stands even where
   * its row cannot be stored; the log says so then.
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

/** Whoever takes the entry of a request writes it: nobody else does. */
function takeEntry(
  request: Request,
  outcome: Pick<AuditEntry, 'result' | 'code'>,
): AuditEntry | undefined {
  const { auditNote, requestId, ip = '' } = request;
  const account = accountOf(request);
  request.auditNote = undefined;
  if (!auditNote || !account) return undefined;
  const { name, role } = account;
  return { account: name, role, address: ip, requestId, ...onlyTexts(auditNote), ...outcome };
}

/** Parameters that were sent twice are arrays, and JSON holds anything. */
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
