import type { TableOptions } from 'typeorm';
import type { Columns } from '../columns.js';
import { cascade, index } from '../keys.js';

export const webhooksTables = ({
  fixedBytes,
  small,
  text,
  whole,
  words,
}: Columns): TableOptions[] => [
  /** Addresses to which tenants' events are sent, and how far each has received them. */
  {
    name: 'webhooks',
    columns: [
      fixedBytes('id', 16, { isPrimary: true }),
      fixedBytes('tenant_id', 16),
      text('url'),
      text('events'),
      text('relying_parties', { isNullable: true }),
      text('secret'),
      text('former_secret', { isNullable: true }),
      whole('former_until', { isNullable: true }),
      whole('created_at'),
      words('created_by', 255),
      whole('told'),
      whole('due_at'),
      small('failures'),
      whole('failing_since', { isNullable: true }),
      words('failure', 100, { isNullable: true }),
      whole('failed_at', { isNullable: true }),
      whole('delivered_at', { isNullable: true }),
      whole('off_since', { isNullable: true }),
      small('set_aside', { default: 0 }),
      whole('changed_at', { default: 0 }),
    ],
    indices: [index('ix_webhooks_tenant', 'tenant_id')],
    foreignKeys: [cascade('fk_webhooks_tenant', 'tenant_id', 'tenants')],
  },
  /** Messages that a webhook's receiver refused for so long that they were set aside. */
  {
    name: 'set_aside_messages',
    columns: [
      fixedBytes('webhook_id', 16, { isPrimary: true }),
      whole('number', { isPrimary: true }),
      fixedBytes('event_id', 16),
      whole('at'),
      words('failure', 100),
    ],
    foreignKeys: [cascade('fk_set_aside_messages_webhook', 'webhook_id', 'webhooks')],
  },
];
