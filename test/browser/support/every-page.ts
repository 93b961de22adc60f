import type { Page } from 'playwright-core';
import type { TestServer } from '../../support/test-server.js';
import type { AdminBrowser } from './admin-pages.js';

/** A page in one of its states, and how to reach it. */
export interface PageState {
  /** The file in `views`, without its ending. */
  readonly template: string;
  readonly state: string;
  readonly path: string;
  /** Actions on the page before the check. */
  readonly then?: (page: Page) => Promise<unknown>;
}

/** The content of the pages, created before they are visited. */
export interface Furniture {
  /** Where an invitation leads to. */
  readonly invitation: string;
  /** Of a sign-in that was refused. */
  readonly refused: string;
  readonly invoice: string;
  /** The authorization request of an application. */
  readonly authorization: string;
  /** A request of Entra ID for a user with a key. */
  readonly entra: string;
  /** The same for a user whom nobody knows. */
  readonly entraUnknown: string;
}

const press = (name: string | RegExp) => (page: Page) =>
  Promise.all([
    page.waitForEvent('load'),
    page.locator('main').getByRole('button', { name }).first().click(),
  ]);
const follow = (name: string) => (page: Page) =>
  Promise.all([
    page.waitForEvent('load'),
    page.locator('main').getByRole('link', { name }).click(),
  ]);
const tickTwo = async (page: Page) => {
  for (const n of [0, 1]) await page.locator('tbody input[type=checkbox]').nth(n).check();
};
const bulk = async (page: Page) => {
  await tickTwo(page);
  await press('Disable keys…')(page);
};
/** A form of the page of users, whose table is short here: it offers no changes of all matches. */
const previewOfMatches = async (page: Page) => {
  const matches = '/userapi/changelistkeys/matches?rp=localhost&filter=b*&change=disable';
  await page
    .locator('.bulk button[value="disable-all"]')
    .evaluate((button, address) => button.setAttribute('formaction', address), matches);
  await tickTwo(page);
  await press('Disable keys…')(page);
};
const upload = async (page: Page) => {
  const buffer = Buffer.from('bert\nADA\nnobody\nb\u0007d\n');
  const file = { name: 'leavers.txt', mimeType: 'text/plain', buffer };
  await page.getByLabel('List of user names').setInputFiles(file);
  await press('Upload and preview')(page);
};
const issueKey = async (page: Page) => {
  await page.getByLabel('Name', { exact: true }).fill('Till');
  await page.getByLabel('Find users, look up lists').check();
  await press('Issue')(page);
};
const openAll = (page: Page) =>
  page.evaluate(`document.querySelectorAll('details').forEach((node) => { node.open = true; })`);

/** Decides about the first open finding, if an earlier state has left one open. */
const decide = (action: 'assign' | 'accept') => async (page: Page) => {
  await openAll(page);
  const form = page.locator(`form:has([value="${action}"])`).first();
  if ((await form.count()) === 0) return;
  if (action === 'accept') {
    await form.locator('[name=reason]').fill('The maker has confirmed that this batch is sound');
    await form.locator('[name=until]').fill('2030-01-31');
  }
  await Promise.all([page.waitForEvent('load'), form.locator(`[value="${action}"]`).click()]);
  await openAll(page);
};

/** The model of Ada's keys. */
export const MODEL = 'ee882879-721c-4913-9775-3dfcce97072a';
/** The model of the only key of Dora, which is disabled. */
export const LOST_MODEL = '5a4c0000-0000-4000-8000-00000000000a';
const userPath = (name: string) => `/userapi/user?rp=localhost&name=${name}`;
const ADA = userPath('ada');

/** Every page that there is, in the states that look different. */
export const everyPage = ({
  invitation,
  refused,
  invoice,
  authorization,
  entra,
  entraUnknown,
}: Furniture): readonly PageState[] => [
  { template: 'dashboard', state: 'with figures', path: '/', then: openAll },
  { template: 'users', state: 'of everybody', path: '/userapi' },
  { template: 'users', state: 'nobody found', path: '/userapi?filter=nobody' },
  { template: 'users', state: 'with disabled keys', path: '/userapi?state=disabled' },
  { template: 'users', state: 'filtered and sorted', path: '/userapi?keys=one&sort=-used' },
  { template: 'bulk-preview', state: 'disabling', path: '/userapi', then: bulk },
  {
    template: 'bulk-result',
    state: 'disabled',
    path: '/userapi',
    then: async (page) => {
      await bulk(page);
      await press(/^Disable the keys/)(page);
    },
  },
  {
    template: 'change-list-keys',
    state: 'preview',
    path: '/userapi?rp=localhost',
    then: previewOfMatches,
  },
  { template: 'user', state: 'with keys', path: ADA },
  { template: 'user', state: 'all unfolded', path: ADA, then: openAll },
  {
    template: 'user',
    state: 'after a change',
    path: '/userapi/user?rp=localhost&name=bert',
    then: press(/^(Dis|En)able USB security key$/),
  },
  { template: 'user', state: 'without a usable key', path: userPath('dora'), then: openAll },
  {
    template: 'user',
    state: 'suspended',
    path: userPath('bert'),
    then: async (page) => {
      if ((await page.getByText('End the suspension').count()) > 0) return;
      await openAll(page);
      await page.locator('[action="/userapi/user/suspension"] [name=reason]').fill('Long leave');
      await press('Suspend')(page);
    },
  },
  { template: 'user', state: 'unknown', path: '/userapi/user?rp=localhost&name=nobody' },
  { template: 'invitation', state: 'issued', path: ADA, then: press('Make the link') },
  {
    template: 'invited',
    state: 'by a model',
    path: `/userapi/aaguid/${LOST_MODEL}`,
    then: press('Invite those who have no key left'),
  },
  { template: 'invite-list', state: 'empty', path: '/userapi/user/invitations/list' },
  { template: 'delete-list', state: 'before the file', path: '/userapi/deletelistusers' },
  {
    template: 'delete-list',
    state: 'preview',
    path: '/userapi/deletelistusers?rp=localhost',
    then: upload,
  },
  {
    template: 'collisions',
    state: 'without a move',
    path: '/userapi/collisions?relyingParty=localhost',
  },
  { template: 'explain', state: 'empty', path: '/userapi/explain' },
  { template: 'explain', state: 'found', path: `/userapi/explain?request=${refused}` },
  { template: 'search', state: 'before a text', path: '/userapi/search' },
  { template: 'search', state: 'found', path: '/userapi/search?q=a' },
  { template: 'search', state: 'similar', path: '/userapi/search?q=berrt' },
  { template: 'audit', state: 'of everything', path: '/userapi/audit' },
  { template: 'audit', state: 'nothing found', path: '/userapi/audit?account=nobody' },
  { template: 'models', state: 'with a whitelist', path: '/userapi/aaguid', then: openAll },
  { template: 'models', state: 'found by name', path: '/userapi/aaguid?find=yubikey' },
  { template: 'model', state: 'in use', path: `/userapi/aaguid/${MODEL}` },
  { template: 'inbox', state: 'with findings', path: '/findings', then: openAll },
  { template: 'inbox', state: 'assigned', path: '/findings', then: decide('assign') },
  { template: 'inbox', state: 'accepted', path: '/findings', then: decide('accept') },
  { template: 'inbox', state: 'handled', path: '/findings?state=past', then: openAll },
  {
    template: 'finding-keys',
    state: 'of a rule',
    path: '/findings/keys?kind=rule&rule=status&rp=localhost',
  },
  { template: 'adoption', state: 'of all relying parties', path: '/adoption' },
  { template: 'adoption', state: 'with a target', path: '/adoption?rp=localhost' },
  { template: 'adoption', state: 'of nobody', path: '/adoption?rp=acme.example' },
  { template: 'metadata', state: 'before the first', path: '/userapi/mds' },
  { template: 'invoice', state: 'of this month', path: '/userapi/invoice' },
  { template: 'invoice', state: 'stored', path: `/userapi/invoices/${invoice}` },
  { template: 'invoices', state: 'with one', path: '/userapi/invoices' },
  { template: 'invoice-estimate', state: 'estimated', path: '/userapi/invoiceest' },
  { template: 'tenants', state: 'with two', path: '/tenants', then: openAll },
  { template: 'tenant', state: 'with a party', path: '/tenants/default', then: openAll },
  {
    template: 'relying-party',
    state: 'with warnings and profiles',
    path: '/tenants/acme/acme.example',
    then: openAll,
  },
  {
    template: 'relying-party',
    state: 'with a preset',
    path: '/tenants/acme/acme.example',
    then: press('Certified L2 and above'),
  },
  {
    template: 'relying-party',
    state: 'with a policy that is tried',
    path: '/tenants/default/localhost',
    then: press('Try the policy before it counts'),
  },
  {
    template: 'application-keys',
    state: 'with one',
    path: '/tenants/default/_keys',
    then: openAll,
  },
  {
    template: 'application-keys',
    state: 'just issued',
    path: '/tenants/default/_keys',
    then: issueKey,
  },
  {
    template: 'who-may-register',
    state: 'with a choice',
    path: '/tenants/acme/acme.example/registration',
  },
  { template: 'handover', state: 'before a key', path: '/tenants/acme/acme.example/handover' },
  {
    template: 'handover',
    state: 'with a key',
    path: '/tenants/acme/acme.example/handover',
    then: press('Issue a key for this domain'),
  },
  { template: 'webhooks', state: 'with one', path: '/tenants/default/_webhooks', then: openAll },
  {
    template: 'webhook-deliveries',
    state: 'of a webhook',
    path: '/tenants/default/_webhooks',
    then: follow('Deliveries'),
  },
  { template: 'deleted', state: 'nobody', path: '/userapi/deleted' },
  { template: 'status', state: 'well', path: '/status' },
  { template: 'version', state: 'shown', path: '/getversion' },
  { template: 'account', state: 'own', path: '/console/account', then: openAll },
  { template: 'accounts', state: 'of a file', path: '/console/accounts', then: openAll },
  { template: 'one-account', state: 'the first', path: '/console/accounts/admin', then: openAll },
  { template: 'setup', state: 'before a link', path: '/console/setup', then: openAll },
  { template: 'sign-in', state: 'asked for', path: '/console/sign-in', then: openAll },
  { template: 'demo', state: 'before', path: '/demo', then: openAll },
  { template: 'my-keys', state: 'before a sign-in', path: '/my-keys?relyingParty=localhost' },
  { template: 'enrol', state: 'invited', path: invitation },
  { template: 'docs', state: 'contents', path: '/docs' },
  {
    template: 'docs-operation',
    state: 'of a call',
    path: '/docs/operations/manageUsers',
    then: openAll,
  },
  { template: 'error', state: 'not found', path: '/nowhere' },
  { template: 'oidc-clients', state: 'with a client', path: '/tenants/default/localhost/_clients' },
  { template: 'oidc-sign-in', state: 'before the sign-in', path: authorization },
  { template: 'entra-sign-in', state: 'before the sign-in', path: entra },
  { template: 'entra-back', state: 'unknown user', path: entraUnknown },
  { template: 'oidc-message', state: 'unknown client', path: '/oidc/localhost/auth?client_id=x' },
];

/** Opens a page in its state. */
export async function openState(admin: AdminBrowser, { path, then }: PageState): Promise<Page> {
  const { page } = await admin.open(path);
  await then?.(page);
  return page;
}

/** Brings a page of the server to another page in its state, as a new tab would show it. */
export async function showState(
  page: Page,
  { url }: TestServer,
  { path, then }: PageState,
): Promise<void> {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.evaluate('sessionStorage.clear()');
  await page.goto(url + path);
  await then?.(page);
}
