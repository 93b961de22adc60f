import type { AuditDetail } from '../../audit/audit-entry.js';
import { User, type DirectoryFacts } from '../../users/user.entity.js';
import { idBytes } from '../protocol/values.js';
import type { UserWishes } from './user-document.js';

/** The columns of a user that a directory alone writes. */
export type DirectoryColumns = Pick<User, 'externalId' | 'directoryJson'>;

export const NO_FACTS: DirectoryColumns = { externalId: null, directoryJson: null };

const directoryOf = ({ directoryJson }: Pick<User, 'directoryJson'>): DirectoryFacts =>
  directoryJson === null ? {} : (JSON.parse(directoryJson) as DirectoryFacts);

export const managerOf = (user: Pick<User, 'directoryJson'>): string | undefined =>
  directoryOf(user).manager;

export const externalIdOf = ({ externalId }: Pick<User, 'externalId'>): string | undefined =>
  externalId?.toString('utf8');

/** The columns after a change. From the first one on, the user is one of the directory. */
export const columnsAfter = (
  before: DirectoryColumns,
  { externalId, manager }: UserWishes,
): DirectoryColumns => ({
  externalId: externalId === undefined ? before.externalId : idBytes(externalId),
  directoryJson: JSON.stringify(manager === undefined ? directoryOf(before) : factsOf(manager)),
});

const factsOf = (manager: string | null): DirectoryFacts => (manager === null ? {} : { manager });

export const isSameColumns = (one: DirectoryColumns, other: DirectoryColumns): boolean =>
  one.directoryJson === other.directoryJson && externalIdOf(one) === externalIdOf(other);

/** The members of an audit row: the attributes, without their values, which would outlive an erasure of the user. */
export function detailOf(wishes: UserWishes): AuditDetail {
  const named = (['externalId', 'manager'] as const).filter((name) => wishes[name] !== undefined);
  return named.length > 0 ? { attributes: named.join(', ') } : {};
}
