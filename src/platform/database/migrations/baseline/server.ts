import type { TableOptions } from 'typeorm';
import { FLAG, SMALL, TEXT, WHOLE, fixedBytes, words } from '../../entities/column-types.js';
import { column } from '../table-parts.js';

export const serverTables: TableOptions[] = [
  {
    name: 'secrets',
    columns: [column('name', words(64), { isPrimary: true }), column('value', TEXT)],
  },
  /** The instance that does a job which only one instance may do at a time. */
  {
    name: 'leases',
    columns: [
      column('name', words(32), { isPrimary: true }),
      column('holder', words(32)),
      column('beat', WHOLE),
    ],
  },
  /** The version of tenants, relying parties, application keys, the whitelist and signing keys. */
  {
    name: 'directory_version',
    columns: [column('id', SMALL, { isPrimary: true }), column('version', WHOLE)],
  },
  /** The servers' values of settings on which all processes must agree. */
  {
    name: 'agreed_settings',
    columns: [
      column('name', words(32), { isPrimary: true }),
      column('value', WHOLE, { isPrimary: true }),
      column('used_at', WHOLE),
    ],
  },
  /** Whether a unit is stored, for a process that lost the answer to its commit. */
  {
    name: 'unit_outcomes',
    columns: [column('id', fixedBytes(16), { isPrimary: true }), column('is_stored', FLAG)],
  },
];
