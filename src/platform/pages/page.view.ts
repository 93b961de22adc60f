import type { Permission } from '../access/permissions.js';
import type { Banner } from './banners.js';
import type { Language } from './languages/languages.js';
import type { Text } from './languages/phrase.js';

/** The entries of the navigation, and the permission of those that not every role can open. */
export const NAVIGATION = {
  dashboard: 'dashboard:read',
  findings: 'users:read',
  users: 'users:read',
  models: 'models:read',
  adoption: 'adoption:read',
  tenants: 'tenants:read',
  accounts: 'accounts:read',
  invoices: 'invoices:read',
  audit: 'audit:read',
  status: undefined,
  demo: undefined,
  docs: undefined,
} as const satisfies Record<string, Permission | undefined>;

type NavEntry = keyof typeof NAVIGATION;

/** A member that others have changed since a form was shown. */
export interface MeanwhileView {
  readonly what: Text;
  readonly was: Text | undefined;
  readonly now: Text;
  /** The account that changed it; `undefined` where that is not known. */
  readonly by: string | undefined;
  /** What saving the form would make of it; `undefined`: nothing else. */
  readonly yours: Text | undefined;
}

/** What the layout needs of every page; the interceptor adds what is the same on all of them. */
export interface PageView {
  readonly title: Text;
  readonly nav?: Readonly<Partial<Record<NavEntry, boolean>>>;
  /** Addresses of further style sheets. */
  readonly styles?: readonly string[];
  /**
   * The area of its texts, those of its scripts too. A page that names one is translated, including the
   * frame; one that names none is English.
   */
  readonly texts?: string;
  /** The language of the page, where it is translated; the interceptor adds it. */
  readonly language?: Language;
  /** Addresses of ES modules. */
  readonly scripts?: readonly string[];
  /**
   * Where a reload leads, on a page that answers a POST and shows something only once: sending the POST again
   * would make another.
   */
  readonly again?: string | undefined;
  /** What was done on the page before; the interceptor adds it. */
  readonly banner?: Banner | undefined;
}

/** A box that asks for an administrator's attention. */
export interface Warning {
  readonly title: Text;
  readonly text: Text;
  /** The page that lists what it is about, and what its link says. */
  readonly more?: { readonly address: string; readonly text: Text };
}
