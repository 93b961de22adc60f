import type { AccountRole } from '../../src/platform/config/files/accounts-file.js';
import type { Scope } from '../../src/platform/access/permissions.js';

/** A call of the administration, for the matrix of roles. */
export interface AdminEndpoint {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** A JSON body; what the changing calls name does not exist. */
  readonly body?: object;
  /** Who may call besides administrators. */
  readonly roles: readonly AccountRole[];
  /** The scope of application keys that may call; most may not. */
  readonly scope?: Scope;
  /** It would change something: a refusal leaves a row in the audit trail. */
  readonly changes?: true;
  /** It concerns all tenants: accounts that are limited to some may not call it. */
  readonly allTenants?: true;
}

const TENANTS = '/tenantapi/tenants';
const KEYS = '/tenantapi/keys';
const WEBHOOKS = '/tenantapi/webhooks';
const MANAGE = '/userapi/manageusers';
const LISTS = '/userapi/deletelistusers';
const INVITATIONS = '/userapi/invitations';
const NOBODY = 'filter=nobody';
const DEVICE = `${NOBODY}&device=nothing`;

/** Of a model that nobody has. */
const MODEL = '/userapi/aaguid/5a4c0000-0000-4000-8000-0000000000ff';
const JOB = `${MODEL}/jobs/AZrlG0R3cAOAfJ0WQ2x9Sg`;

/** A call that changes keys of a model. */
const changingKeys = ([method, path]: readonly ['POST' | 'DELETE', string]): AdminEndpoint => ({
  ...{ method, path, ...(method === 'POST' && { body: {} }) },
  ...{ roles: ['helpdesk'], scope: 'users:write', changes: true },
});

/** A POST for administrators of all tenants. */
const forAllTenants = (path: string): AdminEndpoint => ({
  method: 'POST',
  path,
  body: {},
  roles: [],
  changes: true,
  allTenants: true,
});

/** Every call of the administration. A new one is a row here. */
export const ADMIN_ENDPOINTS: readonly AdminEndpoint[] = [
  { method: 'GET', path: '/', roles: ['helpdesk', 'finance', 'auditor'] },
  {
    method: 'POST',
    path: '/console/sign-out',
    body: {},
    roles: ['helpdesk', 'finance', 'auditor'],
    changes: true,
  },
  { method: 'POST', path: '/console/first-steps/_hide', body: {}, roles: [] },
  { method: 'GET', path: '/console/account', roles: ['helpdesk', 'finance', 'auditor'] },
  ...['/console/accounts', '/console/accounts/none'].map((path): AdminEndpoint => ({
    method: 'GET',
    path,
    roles: ['auditor'],
  })),
  ...['', '/none/_change', '/none/_reset', '/none/_remove', '/none/sessions/none/_end'].map(
    (path): AdminEndpoint => ({
      method: 'POST',
      path: `/console/accounts${path}`,
      body: {},
      roles: [],
      changes: true,
    }),
  ),
  ...['/sessions/none/_end', '/sessions/_end', '/password', '/keys', '/keys/none/_remove', '/rule']
    .map((path) => `/console/account${path}`)
    .map((path): AdminEndpoint => ({
      method: 'POST',
      path,
      body: {},
      roles: ['helpdesk', 'finance', 'auditor'],
      changes: true,
    })),
  { method: 'GET', path: '/users', roles: ['helpdesk', 'auditor'], scope: 'users:read' },

  { method: 'GET', path: MANAGE, roles: ['helpdesk', 'auditor'], scope: 'users:read' },
  {
    method: 'GET',
    path: `${MANAGE}?type=deluser&${NOBODY}`,
    roles: [],
    scope: 'users:write',
    changes: true,
  },
  ...['disableall', 'enableall'].map((type) => ({
    method: 'GET' as const,
    path: `${MANAGE}?type=${type}&${NOBODY}`,
    roles: ['helpdesk'] as const,
    scope: 'users:write' as const,
    changes: true as const,
  })),
  ...['deldevice', 'disabledevice', 'enabledevice'].map((type) => ({
    method: 'GET' as const,
    path: `${MANAGE}?type=${type}&${DEVICE}`,
    roles: ['helpdesk'] as const,
    scope: 'users:write' as const,
    changes: true as const,
  })),
  {
    method: 'POST',
    path: MANAGE,
    body: { type: 'disableall', filter: 'nobody' },
    roles: ['helpdesk'],
    scope: 'users:write',
    changes: true,
  },
  {
    method: 'POST',
    path: MANAGE,
    body: { type: 'deluser', filter: 'nobody' },
    roles: [],
    scope: 'users:write',
    changes: true,
  },

  // The pages of the help desk.
  { method: 'GET', path: '/dashboard/days.csv', roles: ['helpdesk', 'finance', 'auditor'] },
  { method: 'GET', path: '/dashboard/refusals.csv', roles: ['helpdesk', 'finance', 'auditor'] },
  { method: 'GET', path: '/dashboard/models.csv', roles: ['helpdesk', 'finance', 'auditor'] },
  { method: 'GET', path: '/userapi', roles: ['helpdesk', 'auditor'] },
  { method: 'GET', path: '/userapi/users.csv', roles: ['helpdesk', 'auditor'] },
  { method: 'GET', path: '/userapi/user?name=nobody', roles: ['helpdesk', 'auditor'] },
  { method: 'GET', path: '/userapi/explain', roles: ['helpdesk', 'auditor'] },
  { method: 'GET', path: '/userapi/deleted', roles: ['helpdesk', 'auditor'] },
  { method: 'POST', path: '/userapi/user', body: {}, roles: ['helpdesk'], changes: true },
  { method: 'POST', path: '/userapi/user/erasure', body: {}, roles: [], changes: true },
  { method: 'POST', path: '/userapi/undo', body: {}, roles: ['helpdesk'], changes: true },
  { method: 'POST', path: '/userapi/bulk/preview', body: {}, roles: ['helpdesk'] },
  { method: 'POST', path: '/userapi/bulk', body: {}, roles: ['helpdesk'], changes: true },
  { method: 'GET', path: LISTS, roles: [] },
  { method: 'POST', path: `${LISTS}/file`, body: {}, roles: [] },
  { method: 'GET', path: `${LISTS}/none/preview.csv`, roles: [] },
  { method: 'POST', path: `${LISTS}/none/similar`, body: {}, roles: [] },
  { method: 'POST', path: `${LISTS}/none/start`, body: {}, roles: [], changes: true },
  { method: 'POST', path: `${LISTS}/none/stop`, body: {}, roles: [], changes: true },

  { method: 'GET', path: '/userapi/export', roles: [] },
  { method: 'POST', path: '/userapi/import', body: {}, roles: [], changes: true },
  { method: 'GET', path: '/userapi/import', roles: [] },

  { method: 'GET', path: '/userapi/events', roles: ['helpdesk', 'auditor'], scope: 'events:read' },
  {
    method: 'GET',
    path: '/userapi/users?search=nobody',
    roles: ['helpdesk', 'auditor'],
    scope: 'users:read',
  },
  { method: 'GET', path: '/userapi/findings', roles: ['helpdesk', 'auditor'], scope: 'users:read' },
  {
    method: 'POST',
    path: '/userapi/policy/try',
    body: { policy: {} },
    roles: ['helpdesk', 'auditor'],
    scope: 'users:read',
  },
  {
    method: 'GET',
    path: '/userapi/adoption',
    roles: ['helpdesk', 'finance', 'auditor'],
    scope: 'users:read',
  },
  {
    method: 'GET',
    path: '/userapi/adoption/targets',
    roles: ['helpdesk', 'finance', 'auditor'],
    scope: 'users:read',
  },
  {
    method: 'GET',
    path: '/userapi/adoption/targets/none',
    roles: ['helpdesk', 'finance', 'auditor'],
    scope: 'users:read',
  },
  {
    method: 'PATCH',
    path: '/userapi/adoption/targets/none',
    body: { share: null },
    roles: [],
    changes: true,
  },
  { method: 'POST', path: '/adoption/target', body: {}, roles: [], changes: true },
  { method: 'GET', path: '/adoption', roles: ['helpdesk', 'finance', 'auditor'] },
  {
    method: 'GET',
    path: '/userapi/receipts/none',
    roles: ['helpdesk', 'auditor'],
    scope: 'events:read',
  },
  {
    method: 'POST',
    path: '/userapi/upload',
    body: {},
    roles: ['helpdesk', 'auditor'],
    scope: 'users:read',
  },
  {
    method: 'POST',
    path: LISTS,
    body: { users: ['nobody'] },
    roles: [],
    scope: 'users:write',
    changes: true,
  },
  { method: 'GET', path: `${LISTS}/none`, roles: [], scope: 'users:write' },
  { method: 'GET', path: `${LISTS}/none/result`, roles: [], scope: 'users:write' },
  { method: 'DELETE', path: `${LISTS}/none`, roles: [], scope: 'users:write', changes: true },

  {
    method: 'POST',
    path: '/userapi/tickets',
    body: {},
    roles: ['helpdesk'],
    scope: 'tickets',
    changes: true,
  },
  {
    method: 'POST',
    path: INVITATIONS,
    body: {},
    roles: ['helpdesk'],
    scope: 'tickets',
    changes: true,
  },
  ...['', '/withdraw', '/withdraw-all'].map((path) => ({
    method: 'POST' as const,
    path: `/userapi/user/invitations${path}`,
    body: {},
    roles: ['helpdesk'] as const,
    changes: true as const,
  })),
  {
    method: 'PATCH',
    path: '/userapi/users',
    body: {},
    roles: [],
    scope: 'users:write',
    changes: true,
  },
  { method: 'GET', path: INVITATIONS, roles: ['helpdesk', 'auditor'], scope: 'tickets' },
  {
    method: 'GET',
    path: `${INVITATIONS}/nothing`,
    roles: ['helpdesk', 'auditor'],
    scope: 'tickets',
  },
  {
    method: 'DELETE',
    path: `${INVITATIONS}/nothing`,
    roles: ['helpdesk'],
    scope: 'tickets',
    changes: true,
  },
  { method: 'GET', path: '/userapi/audit', roles: ['auditor'] },

  {
    method: 'GET',
    path: '/userapi/invoice',
    roles: ['finance', 'auditor'],
    scope: 'invoices:read',
  },
  {
    method: 'GET',
    path: '/userapi/invoice?invoicelog=yes&date=2024-01-31',
    roles: ['finance'],
    changes: true,
  },
  {
    method: 'POST',
    path: '/userapi/invoice',
    body: { invoicelog: 'yes', date: '2024-01-31' },
    roles: ['finance'],
    changes: true,
  },
  {
    method: 'POST',
    path: '/userapi/invoices',
    body: { date: '2024-01-31' },
    roles: ['finance'],
    changes: true,
  },
  {
    method: 'GET',
    path: '/userapi/invoices',
    roles: ['finance', 'auditor'],
    scope: 'invoices:read',
  },
  {
    method: 'GET',
    path: '/userapi/invoices/999',
    roles: ['finance', 'auditor'],
    scope: 'invoices:read',
  },
  ...['cancel', 'cancellation'].map((word): AdminEndpoint => ({
    method: 'POST',
    path: `/userapi/invoices/999/${word}`,
    body: { reason: 'Wrong' },
    roles: ['finance'],
    changes: true,
  })),
  {
    method: 'GET',
    path: '/userapi/invoiceest',
    roles: ['finance', 'auditor'],
    scope: 'invoices:read',
  },

  { method: 'GET', path: '/userapi/mds', roles: ['auditor'] },
  ...['/userapi/mds', '/userapi/mds/upload'].map(forAllTenants),
  { method: 'GET', path: '/userapi/aaguid', roles: ['auditor', 'helpdesk'] },
  { method: 'GET', path: '/findings', roles: ['auditor', 'helpdesk'] },
  { method: 'GET', path: '/findings/keys?kind=copied', roles: ['auditor', 'helpdesk'] },
  { method: 'GET', path: MODEL, roles: ['auditor', 'helpdesk'] },
  { method: 'GET', path: JOB, roles: ['auditor', 'helpdesk'], scope: 'users:write' },
  ...[['POST', `${MODEL}/jobs`] as const, ['DELETE', JOB] as const].map(changingKeys),
  ...[['POST', `${JOB}/resume`] as const, ['POST', `${JOB}/undo`] as const].map(changingKeys),
  ...['disable', 'stop', 'resume', 'undo'].map((form) => ({
    ...{ method: 'POST' as const, path: `${MODEL}/${form}`, body: {} },
    ...{ roles: ['helpdesk'] as const, changes: true as const },
  })),
  ...['block', 'block-everywhere', 'unblock-everywhere'].map((path) => ({
    ...{ method: 'POST' as const, path: `${MODEL}/${path}`, body: {} },
    ...{ roles: [], changes: true as const },
  })),
  { method: 'DELETE', path: `${MODEL}/block`, roles: [], changes: true },
  ...['invitations', 'invite'].map((path) => ({
    ...{ method: 'POST' as const, path: `${MODEL}/${path}`, body: {} },
    ...{ roles: ['helpdesk'] as const, scope: 'tickets' as const, changes: true as const },
  })),
  ...['/userapi/aaguid', '/userapi/aaguid/add', '/userapi/aaguid/remove'].map(forAllTenants),
  {
    method: 'DELETE',
    path: '/userapi/aaguid/none',
    roles: [],
    changes: true,
    allTenants: true,
  },

  // The pages of tenants.
  ...[
    '/tenants',
    '/tenants/none',
    '/tenants/none/none.example',
    '/tenants/none/_webhooks',
    '/tenants/none/_keys',
    '/tenants/none/none.example/handover',
  ].map((path) => ({
    method: 'GET' as const,
    path,
    roles: ['auditor'] as const,
  })),
  ...['/tenants', '/tenants/none/_remove'].map(forAllTenants),
  ...[
    '/tenants/none',
    '/tenants/none/_rename',
    '/tenants/none/none.example',
    '/tenants/none/none.example/invite',
    '/tenants/none/none.example/remove',
    '/tenants/none/_webhooks',
    ...['secret', 'test', 'on', 'off', 'remove'].map(
      (what) => `/tenants/none/_webhooks/none/${what}`,
    ),
    '/tenants/none/none.example/handover',
    '/tenants/none/_keys',
    '/tenants/none/_keys/none/_revoke',
  ].map((path) => ({
    method: 'POST' as const,
    path,
    body: {},
    roles: [],
    changes: true as const,
  })),

  ...['try', 'preset', 'models'].map((action): AdminEndpoint => ({
    method: 'POST',
    path: `/tenants/none/none.example/${action}`,
    body: {},
    roles: [],
  })),

  { method: 'GET', path: TENANTS, roles: ['auditor'] },
  { method: 'POST', path: TENANTS, body: {}, roles: [], changes: true, allTenants: true },
  { method: 'GET', path: `${TENANTS}/none`, roles: ['auditor'] },
  { method: 'PATCH', path: `${TENANTS}/none`, body: {}, roles: [], changes: true },
  { method: 'DELETE', path: `${TENANTS}/none`, roles: [], changes: true, allTenants: true },
  { method: 'GET', path: `${TENANTS}/none/relying-parties`, roles: ['auditor'] },
  {
    method: 'POST',
    path: `${TENANTS}/none/relying-parties`,
    body: {},
    roles: [],
    changes: true,
  },
  { method: 'GET', path: KEYS, roles: ['auditor'] },
  { method: 'GET', path: `${KEYS}/none`, roles: ['auditor'] },
  { method: 'POST', path: KEYS, body: {}, roles: [], changes: true },
  { method: 'DELETE', path: `${KEYS}/none`, roles: [], changes: true },
  { method: 'GET', path: WEBHOOKS, roles: ['auditor'] },
  { method: 'GET', path: `${WEBHOOKS}/none`, roles: ['auditor'] },
  { method: 'POST', path: WEBHOOKS, body: {}, roles: [], changes: true },
  { method: 'PATCH', path: `${WEBHOOKS}/none`, body: {}, roles: [], changes: true },
  { method: 'DELETE', path: `${WEBHOOKS}/none`, roles: [], changes: true },
  { method: 'GET', path: `${WEBHOOKS}/none/set-aside`, roles: ['auditor'] },
  { method: 'DELETE', path: `${WEBHOOKS}/none/set-aside`, roles: [], changes: true },
  ...['secret', 'test'].map((what) => ({
    method: 'POST' as const,
    path: `${WEBHOOKS}/none/${what}`,
    body: {},
    roles: [],
    changes: true as const,
  })),
  { method: 'GET', path: `${TENANTS}/none/relying-parties/none.example`, roles: ['auditor'] },
  {
    method: 'PATCH',
    path: `${TENANTS}/none/relying-parties/none.example`,
    body: {},
    roles: [],
    scope: 'policy:write',
    changes: true,
  },
  {
    method: 'DELETE',
    path: `${TENANTS}/none/relying-parties/none.example`,
    roles: [],
    changes: true,
  },
];
