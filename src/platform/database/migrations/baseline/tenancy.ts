import type { TableOptions } from 'typeorm';
import { SMALL, TEXT, WHOLE, fixedBytes, words } from '../../entities/column-types.js';
import { column, cascade, index, unique } from '../table-parts.js';

export const tenancyTables: TableOptions[] = [
  /** `closed_at` is 0 while the tenant is open, so that a name is unique among the open ones only. */
  {
    name: 'tenants',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('name', words(64)),
      column('display_name', words(255)),
      column('created_at', WHOLE),
      column('changed_at', WHOLE),
      column('closed_at', WHOLE, { default: 0 }),
    ],
    uniques: [unique('uq_tenants_name', 'name', 'closed_at')],
  },
  /** A closed relying party keeps its row, for invoices; its domain is free again at once. */
  {
    name: 'relying_parties',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('domain', words(253)),
      column('name', words(255)),
      column('origins', TEXT),
      column('policy', TEXT),
      column('created_at', WHOLE),
      column('changed_at', WHOLE),
      column('closed_at', WHOLE, { default: 0 }),
      column('enrolment_url', words(500), { isNullable: true }),
      column('colour', words(7), { isNullable: true }),
      column('well_known', TEXT, { isNullable: true }),
      column('predecessor', words(253), { isNullable: true }),
      column('key_shapes', TEXT, { isNullable: true }),
      column('folds_names', SMALL, { default: 0 }),
    ],
    uniques: [unique('uq_relying_parties_domain', 'domain', 'closed_at')],
    indices: [index('ix_relying_parties_tenant', 'tenant_id')],
    foreignKeys: [cascade('fk_relying_parties_tenant', 'tenant_id', 'tenants')],
  },
  /** Application keys; only the SHA-256 of a secret is stored. A revoked key keeps its row. */
  {
    name: 'application_keys',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('name', words(64)),
      column('prefix', words(16)),
      column('secret_hash', fixedBytes(32)),
      column('scopes', TEXT),
      column('relying_parties', TEXT, { isNullable: true }),
      column('created_at', WHOLE),
      column('created_by', words(255)),
      column('expires_at', WHOLE, { isNullable: true }),
      column('last_used_at', WHOLE, { isNullable: true }),
      column('revoked_at', WHOLE, { isNullable: true }),
      // When a restore suspended the key.
      column('suspended_at', WHOLE, { isNullable: true }),
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
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('share', SMALL),
      column('by_day', words(10)),
      column('changed_at', WHOLE),
    ],
    foreignKeys: [
      cascade('fk_adoption_targets_relying_party', 'relying_party_id', 'relying_parties'),
    ],
  },
];
