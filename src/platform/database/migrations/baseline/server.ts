import type { TableOptions } from 'typeorm';
import type { Columns } from '../columns.js';

export const serverTables = ({
  fixedBytes,
  flag,
  small,
  text,
  whole,
  words,
}: Columns): TableOptions[] => [
  {
    name: 'secrets',
    columns: [words('name', 64, { isPrimary: true }), text('value')],
  },
  /** The instance that does a job which only one instance may do at a time. */
  {
    name: 'leases',
    columns: [words('name', 32, { isPrimary: true }), words('holder', 32), whole('beat')],
  },
  /** The version of tenants, relying parties, application keys, the whitelist and signing keys. */
  {
    name: 'directory_version',
    columns: [small('id', { isPrimary: true }), whole('version')],
  },
  /** The servers' values of settings on which all processes must agree. */
  {
    name: 'agreed_settings',
    columns: [
      words('name', 32, { isPrimary: true }),
      whole('value', { isPrimary: true }),
      whole('used_at'),
    ],
  },
  /** Whether a unit is stored, for a process that lost the answer to its commit. */
  {
    name: 'unit_outcomes',
    columns: [fixedBytes('id', 16, { isPrimary: true }), flag('is_stored')],
  },
];
