import { Injectable } from '@nestjs/common';
import type { AuditDetail } from '../../audit/audit-entry.js';
import { AuditTrail } from '../../audit/audit-trail.js';
import type { AuditedCall } from '../../audit/audited.js';
import type { Account } from '../../platform/access/accounts/account.js';
import type { KnownAccount } from '../../platform/access/accounts/accounts.js';
import { Banners, failureBanner } from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { ConsoleSessions, type SessionProof } from '../sessions/console-sessions.js';
import { ownPath } from './sign-in.view.js';

/** The first pages of roles that do not start on the dashboard. */
const FIRST_PAGES: Readonly<Partial<Record<Account['role'], string>>> = {
  helpdesk: '/userapi',
  lead: '/userapi',
  finance: '/userapi/invoice',
};

/** Where a sign-in leads, and whether it interrupted a form. */
export interface SignInTarget {
  readonly to?: string | undefined;
  /** `yes` if the form before the sign-in was not processed. */
  readonly undone?: string | undefined;
}

/** The target of a sign-in: the requested page, otherwise the first page of the role. */
function startOf({ account }: KnownAccount, to: unknown): string {
  if (account.pending) return '/console/account';
  const path = ownPath(to);
  return path === '/' ? (FIRST_PAGES[account.role] ?? path) : path;
}

/** Completes a sign-in, however the account has proved itself. */
@Injectable()
export class SignInCompletion {
  constructor(
    private readonly sessions: ConsoleSessions,
    private readonly banners: Banners,
    private readonly trail: AuditTrail,
  ) {}

  /**
   * Begins the session, in one unit with its audit row. The next page reports that the form before the sign-in was not
   * processed.
   *
   * @param detail further facts for the audit row
   */
  async begin(
    { request, useRowPerChange }: AuditedCall,
    { to, undone }: SignInTarget,
    known: KnownAccount,
    proof: SessionProof,
    detail?: AuditDetail,
  ): Promise<{ url: string }> {
    const row = useRowPerChange()({ detail: { way: proof.way, ...detail } });
    const { name, role } = known.account;
    const entry = { ...row, account: name, role };
    request.user = await this.sessions.begin(request, known, proof, (unit) =>
      this.trail.commit([entry], unit),
    );
    if (undone === 'yes' && request.res) {
      const banner = failureBanner(phrase('layout:undone'));
      this.banners.leave(request, request.res, { ...banner, undone: true });
    }
    return { url: startOf(known, to) };
  }
}
