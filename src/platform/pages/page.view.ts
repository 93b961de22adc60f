import type { Request } from 'express';
import { type Permission, may } from '../access/permissions.js';
import { randomText } from '../common/random.js';
import { PRODUCT_VERSION } from '../project.js';
import { isVisitor } from '../errors/visitor.js';
import { ANYBODY, accountOf, type Account } from '../access/accounts/account.js';
import type { Banner } from './banners.js';
import { type Language, languageFor, plainText } from './languages/languages.js';
import { phrase, type Text } from './languages/phrase.js';

interface MenuEntry {
  readonly group: 'overview' | 'keys' | 'setup' | 'records' | 'server';
  readonly path: string;
  /** A symbol of `views/public/icons/sprite.svg`. */
  readonly icon: string;
  /** What an account needs to see the entry. */
  readonly permission: Permission;
  /** Whether visitors see it too. */
  readonly isPublic?: true;
}

/** The entries of the menu, in order. */
const MENU = {
  dashboard: { group: 'overview', path: '/', icon: 'gauge', permission: 'dashboard:read' },
  findings: { group: 'overview', path: '/findings', icon: 'warning', permission: 'users:read' },
  users: { group: 'keys', path: '/userapi', icon: 'user', permission: 'users:read' },
  models: { group: 'keys', path: '/userapi/aaguid', icon: 'key', permission: 'models:read' },
  adoption: { group: 'keys', path: '/adoption', icon: 'chart', permission: 'adoption:read' },
  tenants: { group: 'setup', path: '/tenants', icon: 'building', permission: 'tenants:read' },
  accounts: {
    group: 'setup',
    path: '/console/accounts',
    icon: 'shield',
    permission: 'accounts:read',
  },
  invoices: {
    group: 'records',
    path: '/userapi/invoice',
    icon: 'receipt',
    permission: 'invoices:read',
  },
  audit: { group: 'records', path: '/userapi/audit', icon: 'list', permission: 'audit:read' },
  status: {
    group: 'server',
    path: '/status',
    icon: 'pulse',
    permission: 'setup:read',
    isPublic: true,
  },
  demo: { group: 'server', path: '/demo', icon: 'play', permission: 'setup:read', isPublic: true },
  docs: { group: 'server', path: '/docs', icon: 'code', permission: 'setup:read', isPublic: true },
} as const satisfies Record<string, MenuEntry>;

export type MenuName = keyof typeof MENU;

/** Numbers beside the entries of the menu, by the name of the entry. */
export type CountsByEntry = Readonly<Partial<Record<MenuName, number>>>;

/** The pages of the menu, for the search. */
export const menuEntries = (Object.entries(MENU) as [MenuName, MenuEntry][]).map(
  ([name, entry]) => ({ ...entry, name, text: phrase(`layout:nav.${name}`) }),
);

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
  readonly nav?: Readonly<Partial<Record<MenuName, boolean>>>;
  readonly styles?: readonly string[];
  /**
   * The area of its texts, including its scripts' texts. A page that names one is translated, including the
   * frame; one that names none is English.
   */
  readonly texts?: string;
  /** Whether it is for users of a relying party: without the console's menu, our name and, unless it failed, an ID. */
  readonly isUserFacing?: boolean;
  /** Whether the page reports a failure, about which its reader may ask: it then shows the request ID. */
  readonly hasFailed?: boolean;
  /** The language of the page, if it is translated; the interceptor adds it. */
  readonly language?: Language;
  /** Addresses of scripts that are no modules and run before `scripts`. */
  readonly libraries?: readonly string[];
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

/** A relying party, as its users' pages show it. */
interface ShownParty {
  readonly domain: string;
  readonly name: string;
  readonly colour: string | null;
}

/** What pages for users have in common: the name and the colour of the relying party, if there is one. */
export const userFacingFrame = (
  title: Text,
  rp: ShownParty | undefined,
): PageView & { readonly relyingParty: Pick<ShownParty, 'domain' | 'name'> | undefined } => ({
  // Their scripts take the words about refusals from there.
  texts: 'userFacing',
  title,
  relyingParty: rp && { domain: rp.domain, name: rp.name },
  isUserFacing: true,
  styles: [
    '/static/css/user-facing.css',
    ...(rp?.colour ? [`/theme.css?relyingParty=${rp.domain}`] : []),
  ],
});

/** A box that calls for an account's attention. */
export interface Warning {
  readonly title: Text;
  readonly text: Text;
  /** The page with the details, and the text of its link. */
  readonly more?: { readonly address: string; readonly text: Text };
}

const ONCE_BYTES = 16;

/**
 * A page's model with the parts that every page needs: its language, the version, the request ID, the signed-in
 * account, and the token of its forms (`{{> form_token}}`, or `?formToken={{@root.formToken}}` in an upload's address).
 * `{{> once}}` tells this page from others in forms that create a secret once.
 *
 * @param counts numbers beside entries of the menu
 */
export function completePage(
  view: PageView,
  request: Request,
  counts: CountsByEntry = {},
): PageView {
  const account = accountOf(request);
  return {
    ...view,
    ...inLanguage(view, request),
    version: PRODUCT_VERSION,
    requestId: view.isUserFacing && !view.hasFailed ? undefined : request.requestId,
    account,
    signedIn: signedInOf(account),
    formToken: request.formToken,
    once: randomText(ONCE_BYTES),
    ...menuFor(request, view.nav, counts),
  } as PageView;
}

/** The menu of the reader, in groups, and the entries that the reader does not see, for links in pages. */
function menuFor(request: Request, nav: PageView['nav'] = {}, counts: CountsByEntry = {}) {
  const account = accountOf(request);
  const visitor = isVisitor(request);
  const entries = menuEntries.map((entry) => ({
    ...entry,
    count: counts[entry.name],
    isCurrent: nav[entry.name] === true,
    isShown: visitor ? entry.isPublic : account === undefined || may(account, entry.permission),
  }));
  const shown = Map.groupBy(
    entries.filter(({ isShown }) => isShown),
    ({ group }) => group,
  );
  const hidden = visitor ? [] : entries.filter(({ isShown }) => !isShown);
  return {
    visitor,
    /** Whether the header has the search. */
    maySearch: !visitor && (account === undefined || may(account, 'dashboard:read')),
    menu: [...shown].map(([group, members]) => ({
      id: group,
      text: phrase(`layout:groups.${group}`),
      entries: members,
    })),
    hidden: Object.fromEntries(hidden.map(({ name }) => [name, true])),
  };
}

/** A page is in the reader's language if it names the area of its texts; others are English. */
function inLanguage({ texts, title }: PageView, request: Request): Partial<PageView> {
  const language = texts === undefined ? undefined : languageFor(request);
  return {
    ...(language && { language }),
    title: typeof title === 'string' ? title : plainText(language ?? 'en', title),
  };
}

/** The signed-in account, for the header of a page; none with `--auth off`. */
const signedInOf = (account: Account | undefined) =>
  account && account !== ANYBODY
    ? {
        name: account.name,
        role: account.role,
        /** Whether there is a session to sign out of: browsers keep HTTP Basic credentials until they are closed. */
        session: account.session !== undefined,
      }
    : undefined;

/** The data for the header of an error page, which is needed before any page is complete. */
export const errorPageHead = (request: Request): object => ({
  language: languageFor(request),
  signedIn: signedInOf(accountOf(request)),
  formToken: request.formToken,
  ...menuFor(request),
});
