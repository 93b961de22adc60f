import type { AuditDetail } from '../../audit/audit-entry.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import type { User, DirectoryFacts } from '../../users/user.entity.js';
import { idBytes } from '../protocol/values.js';
import type { GroupOfUserRow } from '../groups/directory-group.statements.js';
import { STORE_DIRECTORY_FACTS, type DirectoryUserRow } from './scim-user.statements.js';
import type { UserWishes } from './user-document.js';

/** A user as a directory sees it. */
export interface DirectoryUser extends Omit<DirectoryUserRow, 'username'> {
  readonly username: string;
  /** Those that the directory made, in the order of their creation; none if it does not manage the user. */
  readonly groups: readonly Pick<GroupOfUserRow, 'id' | 'name'>[];
}

/** The columns of a user that a directory alone writes. */
type DirectoryColumns = Pick<User, 'externalId' | 'directoryJson'>;

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

/** The step that stores a user's columns; unique keys decide whether another user has the ID. */
export const storingColumns = (rp: ScopeOwner, id: Buffer, columns: DirectoryColumns): Step =>
  STORE_DIRECTORY_FACTS.mustChange({ ...scope(rp), id, ...columns });

const factsOf = (manager: string | null): DirectoryFacts => (manager === null ? {} : { manager });

export const isSameColumns = (one: DirectoryColumns, other: DirectoryColumns): boolean =>
  one.directoryJson === other.directoryJson && externalIdOf(one) === externalIdOf(other);

/** The members of an audit row: the attributes, without their values, which would outlive an erasure of the user. */
export function detailOf(wishes: UserWishes): AuditDetail {
  const named = (['externalId', 'manager'] as const).filter((name) => wishes[name] !== undefined);
  return named.length > 0 ? { attributes: named.join(', ') } : {};
}
