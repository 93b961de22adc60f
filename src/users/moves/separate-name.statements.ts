import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import type { Scope } from '../../platform/database/scope.js';
import { select, sql } from '../../platform/database/statement.js';
import { SeparateName } from './move.entity.js';

const separateNames = tableOf(SeparateName);

export type SeparateNameRow = Pick<SeparateName, 'foldedHash' | 'nameHash'>;

/** A separate name, and whether the successor ignores case. */
export interface SeparateNameParams extends SeparateNameRow {
  readonly ignoresCase: boolean;
}

export const SEPARATE_NAMES = select(separateNames.pick('foldedHash', 'nameHash')).from<
  Scope & { foldedHashes: readonly Buffer[] }
>(`
  ${separateNames.from}
  WHERE ${separateNames.scope} AND ${separateNames.foldedHash} IN (:...foldedHashes)`);

/** Stores a separate name unless it is stored. */
export const ADD_SEPARATE_NAME = forEachKind((kind) =>
  sql<Scope & SeparateNameRow>(
    `INSERT ${kind === 'sqlite' ? 'OR IGNORE' : 'IGNORE'} INTO
      ${separateNames.row('relyingPartyId', 'tenantId', 'foldedHash', 'nameHash')}`,
  ),
);

export const DROP_SEPARATE_NAME = sql<Scope & SeparateNameParams>(
  `DELETE FROM ${separateNames.from}
  WHERE ${separateNames.scope} AND ${separateNames.foldedHash} = :foldedHash
    AND (${separateNames.nameHash} = :nameHash OR 1 = :ignoresCase)`,
);
