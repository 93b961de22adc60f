import { ApiError } from '../../platform/errors/api-error.js';
import { problem, type Problem } from '../../platform/errors/reasons.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { normalizeOrigins } from '../../platform/validation/values/domain.js';
import { allowedOrigins, type OriginLists } from '../well-known/well-known.js';

/**
 * Whether an origin is one of an app or a browser extension, not of a web page. It has no host, so no domain shows who
 * owns it, and any tenant may list it. A call with such an origin and without the header is one of the relying party
 * where an account of all tenants has confirmed the origin.
 */
export const isAppOrigin = (origin: string): boolean => !/^https?:/.test(origin);

/** A relying party with its confirmed app origins; `null` if an instance of 1.0 made it after the upgrade. */
interface AppLists extends OriginLists {
  readonly confirmedApps: readonly string[] | null;
}

/** The app origins that a relying party lists, confirmed or not. */
export const appOriginsOf = (lists: OriginLists): string[] =>
  allowedOrigins(lists).filter(isAppOrigin);

/** The app origins of a relying party that name it without the header. */
export const confirmedAppsOf = (rp: AppLists): string[] =>
  appOriginsOf(rp).filter((origin) => rp.confirmedApps?.includes(origin));

/** Whether a call from this origin, without the header, may be for a relying party that lists it. */
export const namesWithoutHeader = (
  { confirmedApps }: { readonly confirmedApps: readonly string[] },
  origin: string,
): boolean => !isAppOrigin(origin) || confirmedApps.includes(origin);

/**
 * The confirmed app origins of a relying party after a change: those from before, and those that an account of all
 * tenants adds. If it sends `confirmedApps`, exactly these.
 *
 * @param before the relying party before the change; `undefined` for a new one
 * @throws ApiError E0043R if an account limited to tenants confirms some; E0045R for one that is not listed
 */
export function confirmedAppsAfter(
  { tenants }: Account,
  before: AppLists | undefined,
  after: OriginLists,
  confirmed: readonly string[] | undefined,
): string[] {
  const listed = appOriginsOf(after);
  if (confirmed) {
    if (tenants) throw new ApiError('E0043R', 'permission.limitedAccount');
    const apps = normalizeOrigins(confirmed);
    const origin = apps.find((app) => !listed.includes(app));
    if (origin === undefined) return apps;
    throw new ApiError('E0045R', 'apps.notListed', { origin }, { field: 'confirmedApps' });
  }
  const known = before ? confirmedAppsOf(before) : [];
  const former = before ? appOriginsOf(before) : [];
  return listed.filter((app) => known.includes(app) || (!tenants && !former.includes(app)));
}

/** A warning about app origins that need the header until somebody confirms them. */
export function appWarnings(rp: AppLists): readonly Problem[] {
  const confirmed = confirmedAppsOf(rp);
  const apps = appOriginsOf(rp).filter((app) => !confirmed.includes(app));
  return apps.length === 0 ? [] : [problem('apps.unconfirmed', { origins: apps.join(', ') })];
}
