import { Logger } from '@nestjs/common';
import type { Request } from 'express';
import {
  accountOf,
  callerOf,
  onlyTenantOf,
  seesTenant,
} from '../platform/access/accounts/account.js';
import type { ApiError } from '../platform/errors/api-error.js';
import type { AuditTrail } from './audit-trail.js';
import type { AuditAction, AuditDetail, AuditEntry } from './audit-entry.js';
import { refusalFacts } from './refusal-facts.js';

/** The action of an audited call, and its target. Handlers add facts that only they know. */
export interface AuditNote {
  action: AuditAction;
  tenant?: string | undefined;
  relyingParty?: string | undefined;
  /** A user name, a filter or a domain, as it was sent. */
  target?: string | undefined;
  /** A few further facts, for example the number of rows; never a secret. */
  detail?: AuditDetail | undefined;
}

/**
 * What a row of a call says beside who called: about the call, or about one of several users whom it changed. It has an
 * action if that differs from the call's.
 */
export type AuditFacts = Partial<AuditNote>;

/** The members of a row that name the relying party of a call whose address does not. */
export const atRelyingParty = ({
  tenant,
  domain,
}: {
  readonly tenant: string;
  readonly domain: string;
}): AuditFacts => ({ tenant, relyingParty: domain });

declare module 'express-serve-static-core' {
  interface Request {
    /** The note of an audited call, until its row is written. */
    auditNote?: AuditNote | undefined;
    /** Whether rows of the call are stored with the changes that it makes: then it has no other row. */
    hasAuditRow?: boolean;
  }
}

/**
 * Stores the row of a call that ends and has none yet.
 *
 * @throws the driver's error
 */
export async function appendRow(
  trail: AuditTrail,
  request: Request,
  outcome: Pick<AuditEntry, 'result'>,
): Promise<void> {
  const entry = takeEntry(request, outcome);
  if (entry) await trail.append(entry);
}

/**
 * Stores the row of a change that was refused to a known account, with the reason. If the row cannot be stored,
 * the refusal remains and the log reports it.
 *
 * @returns `undefined` if there is nothing to write
 */
export function appendRefusal(
  trail: AuditTrail,
  request: Request,
  { code, problem }: Pick<ApiError, 'code' | 'problem'>,
): Promise<void> | undefined {
  const entry = takeEntry(request, { result: 'refused', code: code ?? undefined });
  if (!entry) return undefined;
  const detail = { ...entry.detail, ...refusalFacts(problem) };
  return trail.append({ ...entry, detail }).catch((error: unknown) => {
    Logger.error(`A refusal has no audit row (${entry.requestId}): ${String(error)}`, 'Audit');
  });
}

/** The row of a change that succeeds, with the call's note as it is at that time. */
export const rowOf = (request: Request, note: AuditNote, facts: AuditFacts): AuditEntry => ({
  ...callerFields(request, callerOf(request)),
  ...onlyTexts(note),
  result: 'ok',
  ...facts,
});

/** Removes the entry from the request, so that it is written only once. */
function takeEntry(
  request: Request,
  outcome: Pick<AuditEntry, 'result' | 'code'>,
): AuditEntry | undefined {
  const { auditNote } = request;
  const account = accountOf(request);
  request.auditNote = undefined;
  if (!auditNote || !account) return undefined;
  const about = onlyTexts(auditNote);
  const entry = { ...callerFields(request, account), ...about, ...outcome };
  const { tenant, target = tenant } = about;
  if (tenant !== undefined && seesTenant(account, tenant)) return entry;
  // In the trail of a tenant that the caller may not see, its accounts would see who tried, and the caller could fill
  // it. What a key or an account of one tenant tries is that tenant's concern.
  return { ...entry, tenant: onlyTenantOf(account), target };
}

/** The members of a row that name its account and its request. */
export const callerFields = (
  { requestId, ip = '' }: Pick<Request, 'requestId' | 'ip'>,
  { name, role }: { readonly name: string; readonly role: string },
) => ({
  account: name,
  role,
  address: ip,
  requestId,
});

/** Omits values that are not texts: parameters that were sent twice are arrays, and JSON can contain any type. */
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
