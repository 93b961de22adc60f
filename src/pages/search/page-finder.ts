import { may, type Permission } from '../../platform/access/permissions.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { phrase, type Phrase } from '../../platform/pages/languages/phrase.js';
import { menuEntries } from '../../platform/pages/page.view.js';
import type {
  FoundMatches,
  SearchFinder,
  SearchRequest,
} from '../../platform/pages/search-finders.js';
import { foldedWords } from '../../users/search/folding.js';

interface PageEntry {
  readonly text: Phrase;
  readonly path: string;
  readonly permission: Permission;
  /** Only for accounts of all tenants. */
  readonly allTenants?: true;
}

/** Pages that are not in the menu. */
const FURTHER: readonly PageEntry[] = [
  { text: phrase('users:nav.explain'), path: '/userapi/explain', permission: 'events:read' },
  { text: phrase('undo:recent.title'), path: '/userapi/deleted', permission: 'users:read' },
  {
    text: phrase('users:nav.invite'),
    path: '/userapi/user/invitations/list',
    permission: 'tickets:issue',
  },
  { text: phrase('users:nav.list'), path: '/userapi/deletelistusers', permission: 'users:delete' },
  { text: phrase('models:metadata.title'), path: '/userapi/mds', permission: 'metadata:read' },
  { text: phrase('invoices:list.title'), path: '/userapi/invoices', permission: 'invoices:read' },
  {
    text: phrase('invoices:estimate.title'),
    path: '/userapi/invoiceest',
    permission: 'invoices:read',
  },
  { text: phrase('console:account.title'), path: '/console/account', permission: 'account:own' },
];

/** The commands of pages, in words. An account finds those that it may give. */
const COMMANDS: readonly PageEntry[] = [
  { text: phrase('search:commands.keys'), path: '/userapi', permission: 'keys:change' },
  { text: phrase('search:commands.suspend'), path: '/userapi', permission: 'users:suspend' },
  { text: phrase('search:commands.groups'), path: '/userapi', permission: 'groups:change' },
  { text: phrase('search:commands.delete'), path: '/userapi', permission: 'users:delete' },
  { text: phrase('search:commands.erase'), path: '/userapi', permission: 'users:erase' },
  { text: phrase('search:commands.invite'), path: '/userapi', permission: 'tickets:issue' },
  { text: phrase('search:commands.findings'), path: '/findings', permission: 'keys:change' },
  { text: phrase('search:commands.model'), path: '/userapi/aaguid', permission: 'keys:change' },
  { text: phrase('search:commands.block'), path: '/userapi/aaguid', permission: 'policies:change' },
  {
    text: phrase('search:commands.whitelist'),
    path: '/userapi/aaguid',
    permission: 'models:change',
    allTenants: true,
  },
  {
    text: phrase('search:commands.metadata'),
    path: '/userapi/mds',
    permission: 'metadata:change',
    allTenants: true,
  },
  { text: phrase('search:commands.tenants'), path: '/tenants', permission: 'tenants:change' },
  { text: phrase('search:commands.policies'), path: '/tenants', permission: 'policies:change' },
  {
    text: phrase('search:commands.applicationKeys'),
    path: '/tenants',
    permission: 'application-keys:change',
  },
  { text: phrase('search:commands.webhooks'), path: '/tenants', permission: 'webhooks:change' },
  {
    text: phrase('search:commands.accounts'),
    path: '/console/accounts',
    permission: 'accounts:change',
  },
  { text: phrase('search:commands.own'), path: '/console/account', permission: 'account:own' },
  {
    text: phrase('search:commands.invoices'),
    path: '/userapi/invoice',
    permission: 'invoices:issue',
  },
  { text: phrase('search:commands.verify'), path: '/userapi/audit', permission: 'audit:read' },
  {
    text: phrase('search:commands.server'),
    path: '/status',
    permission: 'setup:read',
    allTenants: true,
  },
];

/** Finds pages of the console by the words of their names and of their commands in the reader's language. */
export const PAGE_FINDER: SearchFinder = { kind: 'pages', permission: 'dashboard:read', find };

function find({ text, account, language }: SearchRequest): FoundMatches {
  const wanted = foldedWords(text);
  const contains = (...texts: readonly Phrase[]) => {
    const words = texts.flatMap((one) => foldedWords(plainText(language, one)));
    return wanted.every((one) => words.some((word) => word.startsWith(one)));
  };
  const isAllowed = ({ permission, allTenants }: PageEntry) =>
    may(account, permission) && !(allTenants && account.tenants);
  const commands = COMMANDS.filter(isAllowed);
  const matches = [...menuEntries, ...FURTHER].filter(isAllowed).flatMap((page) => {
    const { text: title, path: address } = page;
    if (contains(title)) return [{ title, address }];
    const command = commands.find((one) => one.path === address && contains(title, one.text));
    return command ? [{ title, address, detail: command.text }] : [];
  });
  return { matches: wanted.length === 0 && text !== '' ? [] : matches };
}
