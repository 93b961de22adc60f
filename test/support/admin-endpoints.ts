import type { AccountRole } from '../../src/platform/config/files/accounts-file.js';
import type { KeyPermission } from '../../src/platform/access/permissions.js';

/** A call of the administration, for the matrix of roles. */
export interface AdminEndpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** A JSON body. The changing calls name things that do not exist. */
  readonly body?: object;
  /** The roles that may call, besides administrators. */
  readonly roles: readonly AccountRole[];
  /** The permission with which application keys may call; most calls have none. */
  readonly permission?: KeyPermission;
  /** It would change something: a refusal leaves a row in the audit trail. */
  readonly changes?: true;
  /** It concerns all tenants: accounts that are limited to some may not call it. */
  readonly allTenants?: true;
}

type Row = (
  path: string,
  roles: readonly AccountRole[],
  more?: Omit<AdminEndpoint, 'method' | 'path' | 'roles'>,
) => AdminEndpoint;

const get: Row = (path, roles, more) => ({ method: 'GET', path, roles, ...more });
/** A POST that changes nothing. */
const ask: Row = (path, roles, more) => ({ method: 'POST', path, roles, body: {}, ...more });
const post: Row = (path, roles, more) => ask(path, roles, { changes: true, ...more });
const patch: Row = (path, roles, more) => ({ ...post(path, roles, more), method: 'PATCH' });
const remove: Row = (path, roles, more) => ({
  method: 'DELETE',
  path,
  roles,
  changes: true,
  ...more,
});

const HELPDESK: readonly AccountRole[] = ['helpdesk', 'lead'];
const LEAD: readonly AccountRole[] = ['lead'];
const FINANCE: readonly AccountRole[] = ['finance'];
const AUDITOR: readonly AccountRole[] = ['auditor'];
const HELPDESK_AND_AUDITOR = [...HELPDESK, ...AUDITOR];
const FINANCE_AND_AUDITOR = [...FINANCE, ...AUDITOR];
const EVERYBODY = [...HELPDESK, ...FINANCE, ...AUDITOR];

const ACCOUNT = '/console/account';
const ACCOUNTS = '/console/accounts';
const TENANT_PAGES = '/tenants/none';
const TENANTS = '/tenantapi/tenants';
const RELYING_PARTIES = `${TENANTS}/none/relying-parties`;
const KEYS = '/tenantapi/keys';
const WEBHOOKS = '/tenantapi/webhooks';
const MANAGE = '/userapi/manageusers';
const LISTS = '/userapi/deletelistusers';
const LISTED_KEYS = '/userapi/changelistkeys';
const INVITATIONS = '/userapi/invitations';
/** The AAGUID of a model of which nobody has a key. */
const MODEL = '/userapi/aaguid/5a4c0000-0000-4000-8000-0000000000ff';
const JOB = `${MODEL}/jobs/AZrlG0R3cAOAfJ0WQ2x9Sg`;

/** Every call of the administration. A new one is a row here. */
export const ADMIN_ENDPOINTS: readonly AdminEndpoint[] = [
  get('/', EVERYBODY),
  post('/console/sign-out', EVERYBODY),
  ask('/console/first-steps/_hide', []),
  get(ACCOUNT, EVERYBODY),
  get(ACCOUNTS, AUDITOR),
  get(`${ACCOUNTS}/none`, AUDITOR),
  post(ACCOUNTS, []),
  post(`${ACCOUNTS}/none/_change`, []),
  post(`${ACCOUNTS}/none/_reset`, []),
  post(`${ACCOUNTS}/none/_remove`, []),
  post(`${ACCOUNTS}/none/_break-glass`, []),
  post(`${ACCOUNTS}/none/sessions/none/_end`, []),
  post(`${ACCOUNT}/sessions/none/_end`, EVERYBODY),
  post(`${ACCOUNT}/sessions/_end`, EVERYBODY),
  post(`${ACCOUNT}/password`, EVERYBODY),
  post(`${ACCOUNT}/keys`, EVERYBODY),
  post(`${ACCOUNT}/keys/none/_remove`, EVERYBODY),
  post(`${ACCOUNT}/rule`, EVERYBODY),
  get('/users', HELPDESK_AND_AUDITOR, { permission: 'users:read' }),
  get(MANAGE, HELPDESK_AND_AUDITOR, { permission: 'users:read' }),
  get(`${MANAGE}?type=deluser&filter=nobody`, LEAD, { permission: 'users:write', changes: true }),
  get(`${MANAGE}?type=disableall&filter=nobody`, HELPDESK, {
    permission: 'users:write',
    changes: true,
  }),
  get(`${MANAGE}?type=enableall&filter=nobody`, HELPDESK, {
    permission: 'users:write',
    changes: true,
  }),
  get(`${MANAGE}?type=deldevice&filter=nobody&device=nothing`, HELPDESK, {
    permission: 'users:write',
    changes: true,
  }),
  get(`${MANAGE}?type=disabledevice&filter=nobody&device=nothing`, HELPDESK, {
    permission: 'users:write',
    changes: true,
  }),
  get(`${MANAGE}?type=enabledevice&filter=nobody&device=nothing`, HELPDESK, {
    permission: 'users:write',
    changes: true,
  }),
  post(MANAGE, HELPDESK, {
    permission: 'users:write',
    body: { type: 'disableall', filter: 'nobody' },
  }),
  post(MANAGE, LEAD, { permission: 'users:write', body: { type: 'deluser', filter: 'nobody' } }),

  // The pages of the help desk.
  get('/dashboard/days.csv', EVERYBODY),
  get('/dashboard/refusals.csv', EVERYBODY),
  get('/dashboard/models.csv', EVERYBODY),
  get('/userapi', HELPDESK_AND_AUDITOR),
  get('/userapi/users.csv', HELPDESK_AND_AUDITOR),
  get('/userapi/user?name=nobody', HELPDESK_AND_AUDITOR),
  get('/userapi/explain', HELPDESK_AND_AUDITOR),
  get('/userapi/deleted', HELPDESK_AND_AUDITOR),
  get('/userapi/search?q=nobody', EVERYBODY),
  post('/userapi/user', HELPDESK),
  post('/userapi/user/erasure', []),
  post('/userapi/undo', HELPDESK),
  ask('/userapi/bulk/preview', HELPDESK),
  post('/userapi/bulk', HELPDESK),
  get(LISTS, LEAD),
  ask(`${LISTS}/file`, LEAD),
  ask(`${LISTS}/matches`, LEAD),
  get(`${LISTS}/none/preview.csv`, LEAD),
  ask(`${LISTS}/none/similar`, LEAD),
  post(`${LISTS}/none/start`, LEAD),
  post(`${LISTS}/none/stop`, LEAD),
  get(`${LISTED_KEYS}?upload=none`, HELPDESK),
  ask(`${LISTED_KEYS}/matches?change=disable`, HELPDESK),
  get(`${LISTED_KEYS}/none/preview.csv`, HELPDESK),
  post(`${LISTED_KEYS}/none/start`, HELPDESK),
  post(`${LISTED_KEYS}/none/stop`, HELPDESK),
  post(`${LISTED_KEYS}/none/resume`, HELPDESK),

  get('/userapi/export', []),
  post('/userapi/import', []),
  get('/userapi/import', []),

  get('/userapi/events', HELPDESK_AND_AUDITOR, { permission: 'events:read' }),
  get('/userapi/users?search=nobody', HELPDESK_AND_AUDITOR, { permission: 'users:read' }),
  get('/userapi/collisions', HELPDESK_AND_AUDITOR, { permission: 'users:read' }),
  post('/userapi/collisions', HELPDESK, { permission: 'tickets', body: { username: 'nobody' } }),
  post('/userapi/collisions/form', HELPDESK, { permission: 'tickets' }),
  get('/userapi/findings', HELPDESK_AND_AUDITOR, { permission: 'users:read' }),
  ask('/userapi/policy/try', HELPDESK_AND_AUDITOR, {
    permission: 'users:read',
    body: { policy: {} },
  }),
  get('/userapi/adoption', EVERYBODY, { permission: 'users:read' }),
  get('/userapi/adoption/targets', EVERYBODY, { permission: 'users:read' }),
  get('/userapi/adoption/targets/none', EVERYBODY, { permission: 'users:read' }),
  patch('/userapi/adoption/targets/none', [], { body: { share: null } }),
  post('/adoption/target', []),
  get('/adoption', EVERYBODY),
  get('/userapi/receipts/none', HELPDESK_AND_AUDITOR, { permission: 'events:read' }),
  ask('/userapi/upload', HELPDESK_AND_AUDITOR, { permission: 'users:read' }),
  post(LISTS, LEAD, { permission: 'users:write', body: { users: ['nobody'] } }),
  get(`${LISTS}/none`, LEAD, { permission: 'users:write' }),
  get(`${LISTS}/none/result`, LEAD, { permission: 'users:write' }),
  remove(`${LISTS}/none`, LEAD, { permission: 'users:write' }),

  post('/userapi/tickets', HELPDESK, { permission: 'tickets' }),
  get('/userapi/tickets', HELPDESK_AND_AUDITOR, { permission: 'tickets' }),
  remove('/userapi/tickets/nothing', HELPDESK, { permission: 'tickets' }),
  post(INVITATIONS, HELPDESK, { permission: 'tickets' }),
  post('/userapi/user/invitations', HELPDESK),
  get('/userapi/user/invitations/list', HELPDESK),
  post('/userapi/user/invitations/list', HELPDESK),
  post('/userapi/user/invitations/withdraw', HELPDESK),
  post('/userapi/user/invitations/withdraw-all', HELPDESK),
  patch('/userapi/users', [], { permission: 'users:write' }),
  post('/userapi/users/suspension', HELPDESK, { permission: 'users:write' }),
  post('/userapi/user/suspension', HELPDESK),
  post('/userapi/findings/decision', HELPDESK, { permission: 'users:write' }),
  post('/findings/decision', HELPDESK),
  get('/userapi/users/groups?username=nobody', HELPDESK_AND_AUDITOR, { permission: 'users:read' }),
  { ...post('/userapi/users/groups', [], { permission: 'groups' }), method: 'PUT' },
  post('/userapi/user/groups', []),
  get(INVITATIONS, HELPDESK_AND_AUDITOR, { permission: 'tickets' }),
  get(`${INVITATIONS}/nothing`, HELPDESK_AND_AUDITOR, { permission: 'tickets' }),
  remove(`${INVITATIONS}/nothing`, HELPDESK, { permission: 'tickets' }),

  get('/userapi/audit', AUDITOR, { permission: 'audit:read' }),
  ask('/userapi/audit/verify', AUDITOR, { allTenants: true }),
  get('/userapi/invoice', FINANCE_AND_AUDITOR, { permission: 'invoices:read' }),
  get('/userapi/invoice?invoicelog=yes&date=2024-01-31', FINANCE, { changes: true }),
  post('/userapi/invoice', FINANCE, { body: { invoicelog: 'yes', date: '2024-01-31' } }),
  post('/userapi/invoices', FINANCE, { body: { date: '2024-01-31' } }),
  get('/userapi/invoices', FINANCE_AND_AUDITOR, { permission: 'invoices:read' }),
  get('/userapi/invoices/999', FINANCE_AND_AUDITOR, { permission: 'invoices:read' }),
  post('/userapi/invoices/999/cancel', FINANCE, { body: { reason: 'Wrong' } }),
  post('/userapi/invoices/999/cancellation', FINANCE, { body: { reason: 'Wrong' } }),
  get('/userapi/invoiceest', FINANCE_AND_AUDITOR, { permission: 'invoices:read' }),

  get('/userapi/mds', AUDITOR),
  post('/userapi/mds', [], { allTenants: true }),
  post('/userapi/mds/upload', [], { allTenants: true }),
  get('/userapi/aaguid', HELPDESK_AND_AUDITOR),
  get('/findings', HELPDESK_AND_AUDITOR),
  get('/findings/keys?kind=copied', HELPDESK_AND_AUDITOR),
  get('/findings/keys.csv?rule=status&rp=localhost', HELPDESK_AND_AUDITOR),
  get(MODEL, HELPDESK_AND_AUDITOR),
  get(JOB, HELPDESK_AND_AUDITOR, { permission: 'users:write' }),
  post(`${MODEL}/jobs`, HELPDESK, { permission: 'users:write' }),
  remove(JOB, HELPDESK, { permission: 'users:write' }),
  post(`${JOB}/resume`, HELPDESK, { permission: 'users:write' }),
  post(`${JOB}/undo`, HELPDESK, { permission: 'users:write' }),
  post(`${MODEL}/disable`, HELPDESK),
  post(`${MODEL}/stop`, HELPDESK),
  post(`${MODEL}/resume`, HELPDESK),
  post(`${MODEL}/undo`, HELPDESK),
  post(`${MODEL}/block`, []),
  post(`${MODEL}/block-everywhere`, []),
  post(`${MODEL}/unblock-everywhere`, []),
  remove(`${MODEL}/block`, []),
  post(`${MODEL}/invitations`, HELPDESK, { permission: 'tickets' }),
  post(`${MODEL}/invite`, HELPDESK, { permission: 'tickets' }),
  post('/userapi/aaguid', [], { allTenants: true }),
  post('/userapi/aaguid/add', [], { allTenants: true }),
  post('/userapi/aaguid/remove', [], { allTenants: true }),
  remove('/userapi/aaguid/none', [], { allTenants: true }),

  // The pages of tenants.
  get('/tenants', AUDITOR),
  get(TENANT_PAGES, AUDITOR),
  get(`${TENANT_PAGES}/none.example`, AUDITOR),
  get(`${TENANT_PAGES}/_webhooks`, AUDITOR),
  get(`${TENANT_PAGES}/_keys`, AUDITOR),
  get(`${TENANT_PAGES}/none.example/handover`, AUDITOR),
  get(`${TENANT_PAGES}/none.example/registration`, AUDITOR),
  post(`${TENANT_PAGES}/none.example/registration`, [], { body: { registration: 'ticket' } }),
  post('/tenants', [], { allTenants: true }),
  post(`${TENANT_PAGES}/_remove`, [], { allTenants: true }),
  post(TENANT_PAGES, []),
  post(`${TENANT_PAGES}/_rename`, []),
  post(`${TENANT_PAGES}/none.example`, []),
  post(`${TENANT_PAGES}/none.example/invite`, []),
  post(`${TENANT_PAGES}/none.example/confirm-apps`, [], { allTenants: true }),
  post(`${TENANT_PAGES}/none.example/remove`, []),
  post(`${TENANT_PAGES}/_webhooks`, []),
  post(`${TENANT_PAGES}/_webhooks/none/secret`, []),
  get(`${TENANT_PAGES}/_webhooks/none`, AUDITOR),
  post(`${TENANT_PAGES}/_webhooks/none/again`, []),
  post(`${TENANT_PAGES}/_webhooks/none/test`, []),
  post(`${TENANT_PAGES}/_webhooks/none/address`, []),
  post(`${TENANT_PAGES}/_webhooks/none/on`, []),
  post(`${TENANT_PAGES}/_webhooks/none/off`, []),
  post(`${TENANT_PAGES}/_webhooks/none/remove`, []),
  post(`${TENANT_PAGES}/none.example/handover`, []),
  post(`${TENANT_PAGES}/_keys`, []),
  post(`${TENANT_PAGES}/_keys/none/_revoke`, []),
  ask(`${TENANT_PAGES}/none.example/try`, []),
  get(`${TENANT_PAGES}/none.example/try`, []),
  ask(`${TENANT_PAGES}/none.example/preset`, []),
  get(`${TENANT_PAGES}/none.example/preset`, []),
  ask(`${TENANT_PAGES}/none.example/models`, []),
  get(`${TENANT_PAGES}/none.example/models`, []),

  get(TENANTS, AUDITOR),
  post(TENANTS, [], { allTenants: true }),
  get(`${TENANTS}/none`, AUDITOR),
  patch(`${TENANTS}/none`, []),
  remove(`${TENANTS}/none`, [], { allTenants: true }),
  get(RELYING_PARTIES, AUDITOR),
  post(RELYING_PARTIES, []),
  get(KEYS, AUDITOR),
  get(`${KEYS}/none`, AUDITOR),
  post(KEYS, []),
  remove(`${KEYS}/none`, []),
  get(WEBHOOKS, AUDITOR),
  get(`${WEBHOOKS}/none`, AUDITOR),
  post(WEBHOOKS, []),
  patch(`${WEBHOOKS}/none`, []),
  remove(`${WEBHOOKS}/none`, []),
  get(`${WEBHOOKS}/none/set-aside`, AUDITOR),
  remove(`${WEBHOOKS}/none/set-aside`, []),
  post(`${WEBHOOKS}/none/secret`, []),
  post(`${WEBHOOKS}/none/test`, []),
  get(`${RELYING_PARTIES}/none.example`, AUDITOR),
  patch(`${RELYING_PARTIES}/none.example`, [], { permission: 'policy:write' }),
  remove(`${RELYING_PARTIES}/none.example`, []),
];
