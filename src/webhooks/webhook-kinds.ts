import { AUDIT_ACTIONS, type AuditAction } from '../audit/audit-entry.js';
import { EVENT_KINDS, type EventKind } from '../events/event.entity.js';

/** The kind that selects all rows of the audit trail. */
export const EVERY_AUDIT = 'audit.*';

type AuditKind = typeof EVERY_AUDIT | `audit.${AuditAction}`;

/** What a webhook may receive: a kind of event, or rows of the audit trail. */
export type WebhookKind = EventKind | AuditKind;

/** The form of messages: our own, or a record of OCSF alone. */
export const WEBHOOK_FORMATS = ['servicefido', 'ocsf'] as const;

export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

export const auditKind = <Action extends string>(action: Action): `audit.${Action}` =>
  `audit.${action}`;

export const WEBHOOK_KINDS: readonly WebhookKind[] = [
  ...EVENT_KINDS,
  EVERY_AUDIT,
  ...AUDIT_ACTIONS.map(auditKind),
];

export const isAuditKind = (kind: string): boolean => kind.startsWith('audit.');
