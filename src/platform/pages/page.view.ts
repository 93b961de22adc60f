import type { Permission } from '../access/permissions.js';
import type { Banner } from './banners.js';
import type { Language } from './languages/languages.js';
import type { Text } from './languages/phrase.js';

/** The entries of the navigation, with the permission of those that not every role can open. */
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

/** A member that others have changed since a form was shown. */
export interface MeanwhileView {
  readonly what: Text;
  readonly was: Text | undefined;
  readonly now: Text;
  /** The account that changed it; `undefined` if unknown. */
  readonly by: string | undefined;
  /** Its value after saving the form; `undefined` if saving does not change it. */
  readonly yours: Text | undefined;
}

/** The data that the layout needs for every page; the interceptor adds what is the same on all of them. */
export interface PageView {
  readonly title: Text;
  readonly nav?: Readonly<Partial<Record<keyof typeof NAVIGATION, boolean>>>;
  /** Addresses of further style sheets. */
  readonly styles?: readonly string[];
  /**
   * The area of its texts, including its scripts' texts. A page that names one is translated, including the
   * frame; one that names none is English.
   */
  readonly texts?: string;
  /** The language of the page, if it is translated; the interceptor adds it. */
  readonly language?: Language;
  /** Addresses of ES modules. */
  readonly scripts?: readonly string[];
  /**
   * The target of a reload, for a page that answers a POST and shows something only once: repeating the POST would
   * create another one.
   */
  readonly again?: string | undefined;
  /** The result of the action on the page before; the interceptor adds it. */
  readonly banner?: Banner | undefined;
}

/** A box that calls for an administrator's attention. */
export interface Warning {
  readonly title: Text;
  readonly text: Text;
  /** The page with the details, and the text of its link. */
  readonly more?: { readonly address: string; readonly text: Text };
}
