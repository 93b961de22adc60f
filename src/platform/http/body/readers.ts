/** The readers that operations are for, by whom the OpenAPI document groups them. */
export const READERS = {
  integrator: 'Who builds sign-in into an application: the four calls, tickets, tokens',
  'help desk': 'Who looks after people and their keys: users, lists, events',
  finance: 'Who writes invoices',
  administrator: 'Who runs tenants, relying parties, policies, trust and application keys',
  auditor: 'Who looks at what was changed, and by whom',
  operator: 'Who keeps the server up: health, metrics, checks',
} as const;

export type Reader = keyof typeof READERS;
