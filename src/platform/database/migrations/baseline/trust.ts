import type { TableOptions } from 'typeorm';
import type { Columns } from '../columns.js';
import { cascade, index } from '../keys.js';

export const trustTables = ({
  bytes,
  fixedBytes,
  flag,
  largeBytes,
  text,
  whole,
  words,
}: Columns): TableOptions[] => [
  /**
   * The AAGUID whitelist. The row of a removed model stays, so that seeding does not bring the model back.
   */
  {
    name: 'aaguids',
    columns: [
      fixedBytes('aaguid', 16, { isPrimary: true }),
      words('name', 255),
      whole('added_at'),
      words('added_by', 255),
      whole('removed_at'),
    ],
  },
  /** Sources of metadata, their last good BLOBs, and when to fetch them again. */
  {
    name: 'metadata_sources',
    columns: [
      fixedBytes('id', 16, { isPrimary: true }),
      text('source'),
      fixedBytes('digest', 32),
      whole('no'),
      whole('next_update'),
      whole('taken_at'),
      words('etag', 255),
      whole('due_at'),
      whole('checked_at'),
      whole('failures'),
      words('error', 255),
    ],
  },
  /** BLOBs by their SHA-256, compressed, in parts small enough for one statement on any server. */
  {
    name: 'metadata_chunks',
    columns: [
      fixedBytes('digest', 32, { isPrimary: true }),
      whole('part', { isPrimary: true }),
      whole('stored_at'),
      largeBytes('bytes'),
    ],
  },
  /** Certificate revocation lists that attestation certificates name. */
  {
    name: 'revocation_lists',
    columns: [
      fixedBytes('id', 16, { isPrimary: true }),
      text('address'),
      largeBytes('issuer'),
      fixedBytes('digest', 32),
      largeBytes('list', { isNullable: true }),
      whole('this_update'),
      whole('due_at'),
      whole('checked_at'),
      whole('failures'),
      words('error', 255),
    ],
  },
  /** Findings: keys whose registration would be refused today. */
  {
    name: 'findings',
    columns: [
      fixedBytes('id', 16, { isPrimary: true }),
      fixedBytes('tenant_id', 16),
      fixedBytes('relying_party_id', 16),
      words('rule', 32),
      words('code', 8),
      words('action', 32),
      whole('found_at'),
    ],
    indices: [
      index('ix_findings_relying_party', 'relying_party_id', 'id'),
      index('ix_findings_rule', 'relying_party_id', 'rule', 'id'),
    ],
    foreignKeys: [cascade('fk_findings_credential', 'id', 'credentials')],
  },
  /** The progress of evaluating the keys of each relying party again. */
  {
    name: 'judgements',
    columns: [
      fixedBytes('relying_party_id', 16, { isPrimary: true }),
      fixedBytes('tenant_id', 16),
      fixedBytes('basis', 32),
      fixedBytes('position', 32),
      flag('done'),
      largeBytes('held', { isNullable: true }),
      largeBytes('todo', { isNullable: true }),
    ],
  },
  /** Jobs that disable all keys of an authenticator model. */
  {
    name: 'model_jobs',
    columns: [
      fixedBytes('id', 16, { isPrimary: true }),
      fixedBytes('relying_party_id', 16, { isPrimary: true }),
      fixedBytes('tenant_id', 16),
      fixedBytes('aaguid', 16),
      words('state', 10),
      text('caller'),
      words('reason', 200, { isNullable: true }),
      bytes('position', 32),
      whole('total'),
      whole('looked'),
      whole('disabled_keys'),
      whole('disabled_users'),
      whole('enabled_keys'),
      whole('enabled_users'),
    ],
    indices: [index('ix_model_jobs_state', 'state'), index('ix_model_jobs_model', 'aaguid', 'id')],
  },
];
