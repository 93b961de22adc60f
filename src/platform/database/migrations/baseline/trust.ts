import type { TableOptions } from 'typeorm';
import {
  FLAG,
  LARGE_BYTES,
  TEXT,
  WHOLE,
  bytes,
  fixedBytes,
  words,
} from '../../entities/column-types.js';
import { column, cascade, index } from '../table-parts.js';

export const trustTables: TableOptions[] = [
  /**
   * The AAGUID whitelist. The row of a removed model stays, so that seeding does not bring the model back.
   */
  {
    name: 'aaguids',
    columns: [
      column('aaguid', fixedBytes(16), { isPrimary: true }),
      column('name', words(255)),
      column('added_at', WHOLE),
      column('added_by', words(255)),
      column('removed_at', WHOLE),
    ],
  },
  /** Sources of metadata, their last good BLOBs, and when to fetch them again. */
  {
    name: 'metadata_sources',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('source', TEXT),
      column('digest', fixedBytes(32)),
      column('no', WHOLE),
      column('next_update', WHOLE),
      column('taken_at', WHOLE),
      column('etag', words(255)),
      column('due_at', WHOLE),
      column('checked_at', WHOLE),
      column('failures', WHOLE),
      column('error', words(255)),
    ],
  },
  /** BLOBs by their SHA-256, compressed, in parts small enough for one statement on any server. */
  {
    name: 'metadata_chunks',
    columns: [
      column('digest', fixedBytes(32), { isPrimary: true }),
      column('part', WHOLE, { isPrimary: true }),
      column('stored_at', WHOLE),
      column('bytes', LARGE_BYTES),
    ],
  },
  /** Certificate revocation lists that attestation certificates name. */
  {
    name: 'revocation_lists',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('address', TEXT),
      column('issuer', LARGE_BYTES),
      column('digest', fixedBytes(32)),
      column('list', LARGE_BYTES, { isNullable: true }),
      column('this_update', WHOLE),
      column('due_at', WHOLE),
      column('checked_at', WHOLE),
      column('failures', WHOLE),
      column('error', words(255)),
    ],
  },
  /** Findings: keys whose registration would be refused today. */
  {
    name: 'findings',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
      column('rule', words(32)),
      column('code', words(8)),
      column('action', words(32)),
      column('found_at', WHOLE),
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
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('basis', fixedBytes(32)),
      column('position', fixedBytes(32)),
      column('done', FLAG),
      column('held', LARGE_BYTES, { isNullable: true }),
      column('todo', LARGE_BYTES, { isNullable: true }),
    ],
  },
  /** Jobs that disable all keys of an authenticator model. */
  {
    name: 'model_jobs',
    columns: [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('aaguid', fixedBytes(16)),
      column('state', words(10)),
      column('caller', TEXT),
      column('reason', words(200), { isNullable: true }),
      column('position', bytes(32)),
      column('total', WHOLE),
      column('looked', WHOLE),
      column('disabled_keys', WHOLE),
      column('disabled_users', WHOLE),
      column('enabled_keys', WHOLE),
      column('enabled_users', WHOLE),
    ],
    indices: [index('ix_model_jobs_state', 'state'), index('ix_model_jobs_model', 'aaguid', 'id')],
  },
];
