import type { TableOptions } from 'typeorm';
import { SMALL, TEXT, WHOLE, fixedBytes, words } from '../../entities/column-types.js';
import { column, cascade, index } from '../table-parts.js';

export const webhooksTables: TableOptions[] = [
  /** Addresses to which tenants' events are sent, and how far each has received them. */
  {
    name: 'webhooks',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('url', TEXT),
      column('events', TEXT),
      column('relying_parties', TEXT, { isNullable: true }),
      column('secret', TEXT),
      column('former_secret', TEXT, { isNullable: true }),
      column('former_until', WHOLE, { isNullable: true }),
      column('created_at', WHOLE),
      column('created_by', words(255)),
      column('told', WHOLE),
      column('due_at', WHOLE),
      column('failures', SMALL),
      column('failing_since', WHOLE, { isNullable: true }),
      column('failure', words(100), { isNullable: true }),
      column('failed_at', WHOLE, { isNullable: true }),
      column('delivered_at', WHOLE, { isNullable: true }),
      column('off_since', WHOLE, { isNullable: true }),
      column('set_aside', SMALL, { default: 0 }),
      column('changed_at', WHOLE, { default: 0 }),
    ],
    indices: [index('ix_webhooks_tenant', 'tenant_id')],
    foreignKeys: [cascade('fk_webhooks_tenant', 'tenant_id', 'tenants')],
  },
  /** Messages that a webhook's receiver refused for so long that they were set aside. */
  {
    name: 'set_aside_messages',
    columns: [
      column('webhook_id', fixedBytes(16), { isPrimary: true }),
      column('number', WHOLE, { isPrimary: true }),
      column('event_id', fixedBytes(16)),
      column('at', WHOLE),
      column('failure', words(100)),
    ],
    foreignKeys: [cascade('fk_set_aside_messages_webhook', 'webhook_id', 'webhooks')],
  },
];
