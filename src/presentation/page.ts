import type { Request } from 'express';
import { VERSION } from '../config/project.js';
import { isVisitor } from '../errors/visitor.js';
import { accountOf } from '../security/account.js';
import { may } from '../security/permissions.js';
import type { Permission } from '../security/permissions.js';
import type { NavEntry, PageView } from './page.view.js';

/** Entries of the navigation that not every role can open. */
const NEEDED: Partial<Record<NavEntry, Permission>> = {
  dashboard: 'dashboard:read',
  users: 'users:read',
  models: 'models:read',
  tenants: 'tenants:read',
  invoices: 'invoices:read',
  audit: 'audit:read',
};

/**
 * A page's model with what every page needs: version, request, who is signed in, and the token that
 * its forms carry (`{{> form_token}}`, or `?formToken={{@root.formToken}}` in an upload's address).
 */
export function completePage(view: PageView, request: Request): PageView {
  const account = accountOf(request);
  const hidden = Object.entries(NEEDED).filter(
    ([, permission]) => account && !may(account, permission),
  );
  return {
    ...view,
    version: VERSION,
    requestId: request.requestId,
    account,
    visitor: isVisitor(request),
    formToken: request.formToken,
    hidden: Object.fromEntries(hidden.map(([entry]) => [entry, true])),
  } as PageView;
}
