import type { Request } from 'express';
import { VERSION } from '../config/project.js';
import { accountOf } from '../security/account.js';
import type { Role } from '../security/account.js';
import type { NavEntry, PageView } from './page.view.js';

/** Entries of the navigation that not every role can open; `admin` opens all. */
const OPEN_TO: Partial<Record<NavEntry, readonly Role[]>> = {
  dashboard: ['auditor', 'helpdesk', 'finance'],
  users: ['helpdesk', 'auditor'],
  models: ['helpdesk', 'auditor'],
  tenants: ['auditor'],
  invoices: ['finance', 'auditor'],
  audit: ['auditor'],
};

/**
 * A page's model with what every page needs: version, request, who is signed in, and the token that
 * its forms carry (`{{> form_token}}`, or `?formToken={{@root.formToken}}` in an upload's address).
 */
export function completePage(view: PageView, request: Request): PageView {
  const account = accountOf(request);
  const hidden = Object.entries(OPEN_TO).filter(
    ([, roles]) => account && account.role !== 'admin' && !roles.includes(account.role),
  );
  return {
    ...view,
    version: VERSION,
    requestId: request.requestId,
    account,
    formToken: request.formToken,
    hidden: Object.fromEntries(hidden.map(([entry]) => [entry, true])),
  } as PageView;
}
