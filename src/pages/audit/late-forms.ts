import { dirname } from 'node:path/posix';
import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { accountOf, type Account } from '../../platform/access/accounts/account.js';
import type { ApiError } from '../../platform/errors/api-error.js';
import { backLink } from '../../platform/errors/visitor.js';
import { Banners, failureBanner, type Banner } from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { AuditReader } from '../../audit/audit-reader.js';
import type { AuditDetail } from '../../audit/audit-entry.js';
import type { AuditNote } from '../../audit/request-rows.js';
import type { AuditRow } from '../../audit/audit-row.entity.js';
import { actionOf } from './audit.view.js';
import { auditChanges } from './audit-facts.js';

/** The number of rows that are searched for another account's change. */
const LATEST = 50;
const CHANGED = 'E0053R';
const GONE = 'E0044R';

const nounOf = (action: string): string => action.split('.')[0] ?? '';
const sameText = (bytes: Buffer | null, text: string | undefined): boolean =>
  text === undefined || bytes?.toString('utf8') === text;

/**
 * Redirects from a form that was sent too late to its page, which shows the current state and the changes by others.
 */
@Injectable()
export class LateForms {
  constructor(
    private readonly audit: AuditReader,
    private readonly banners: Banners,
  ) {}

  /**
   * @returns the page to redirect to, with a banner; `undefined` if the refusal has its own page, or the form was
   *   not sent from a page
   */
  leadBack(request: Request, response: Response, answer: ApiError): Promise<string> | undefined {
    const { code, page } = answer;
    const account = accountOf(request);
    const from = backLink(request);
    const isLate = request.method === 'POST' && (code === CHANGED || code === GONE);
    if (!isLate || page || !account || from === undefined) return undefined;
    // What the page is about no longer exists either: redirect to its list.
    const isOfForm =
      code === GONE && new URL(from, 'http://page').pathname === dirname(request.path);
    const note = request.auditNote && { ...request.auditNote };
    return this.bannerOf(account, code, { note, id: request.params['id'] }).then((banner) => {
      this.banners.leave(request, response, banner);
      return isOfForm ? dirname(from) : from;
    });
  }

  private async bannerOf(
    account: Account,
    code: typeof CHANGED | typeof GONE,
    form: { readonly note: AuditNote | undefined; readonly id: unknown },
  ): Promise<Banner> {
    const row = form.note && (await this.find(account, code, { ...form, note: form.note }));
    if (!row)
      return failureBanner(phrase(code === GONE ? 'layout:late.gone' : 'layout:late.changed'));
    const name = row.account.toString('utf8');
    const deed = actionOf(row.action);
    const text = phrase('layout:late.by', { name, deed });
    return { ...failureBanner(text), changes: auditChanges(JSON.parse(row.detail) as AuditDetail) };
  }

  /** The latest row about the target of the form. */
  private async find(
    account: Account,
    code: typeof CHANGED | typeof GONE,
    { note, id }: { readonly note: AuditNote; readonly id: unknown },
  ): Promise<AuditRow | undefined> {
    const { action, tenant, relyingParty, target } = note;
    const { rows } = await this.audit.find(account, { result: 'ok', limit: LATEST });
    const isMeant = (row: AuditRow) =>
      (code === GONE ? row.action === action : nounOf(row.action) === nounOf(action)) &&
      sameText(row.tenant, tenant) &&
      sameText(row.relyingParty, relyingParty) &&
      sameText(row.target, target) &&
      (id === undefined || (JSON.parse(row.detail) as AuditDetail)['id'] === id);
    return rows.find(isMeant);
  }
}
