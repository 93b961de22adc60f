import type { TableOptions } from 'typeorm';
import type { Columns } from '../columns.js';
import { cascade, index, unique } from '../keys.js';

export const tenancyTables = ({
  fixedBytes,
  small,
  text,
  whole,
  words,
}: Columns): TableOptions[] => [
  /** `closed_at` is 0 while the tenant is open, so that a name is unique among the open ones only. */
  {
    name: 'tenants',
    columns: [
      fixedBytes('id', 16, { isPrimary: true }),
      words('name', 64),
      words('display_name', 255),
      whole('created_at'),
      whole('changed_at'),
      whole('closed_at', { default: 0 }),
    ],
    uniques: [unique('uq_tenants_name', 'name', 'closed_at')],
  },
  /** A closed relying party keeps its row, for invoices; its domain is free again at once. */
  {
    name: 'relying_parties',
    columns: [
      fixedBytes('id', 16, { isPrimary: true }),
      fixedBytes('tenant_id', 16),
      words('domain', 253),
      words('name', 255),
      text('origins'),
      text('policy'),
      whole('created_at'),
      whole('changed_at'),
      whole('closed_at', { default: 0 }),
      words('enrolment_url', 500, { isNullable: true }),
      words('colour', 7, { isNullable: true }),
      text('well_known', { isNullable: true }),
      words('predecessor', 253, { isNullable: true }),
      text('key_shapes', { isNullable: true }),
      small('folds_names', { default: 0 }),
    ],
    uniques: [unique('uq_relying_parties_domain', 'domain', 'closed_at')],
    indices: [index('ix_relying_parties_tenant', 'tenant_id')],
    foreignKeys: [cascade('fk_relying_parties_tenant', 'tenant_id', 'tenants')],
  },
  /** Application keys; only the SHA-256 of a secret is stored. A revoked key keeps its row. */
  {
    name: 'application_keys',
    columns: [
      fixedBytes('id', 16, { isPrimary: true }),
      fixedBytes('tenant_id', 16),
      words('name', 64),
      words('prefix', 16),
      fixedBytes('secret_hash', 32),
      text('scopes'),
      text('relying_parties', { isNullable: true }),
      whole('created_at'),
      words('created_by', 255),
      whole('expires_at', { isNullable: true }),
      whole('last_used_at', { isNullable: true }),
      whole('revoked_at', { isNullable: true }),
      // When a restore suspended the key.
      whole('suspended_at', { isNullable: true }),
    ],
    indices: [
      index('ix_application_keys_prefix', 'prefix'),
      index('ix_application_keys_tenant', 'tenant_id'),
    ],
    foreignKeys: [cascade('fk_application_keys_tenant', 'tenant_id', 'tenants')],
  },
  /** The share of a relying party's users who should have a key by a day. */
  {
    name: 'adoption_targets',
    columns: [
      fixedBytes('relying_party_id', 16, { isPrimary: true }),
      fixedBytes('tenant_id', 16),
      small('share'),
      words('by_day', 10),
      whole('changed_at'),
    ],
    foreignKeys: [
      cascade('fk_adoption_targets_relying_party', 'relying_party_id', 'relying_parties'),
    ],
  },
];
