import { inFewSizes } from '../../platform/common/split-into-parts.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import { ADD_GROUPS } from './user-group.statements.js';

/** The steps that store the groups, in NFC, of users who have none. */
export const addingGroups = (
  rp: ScopeOwner,
  users: readonly { readonly id: Buffer; readonly groups: readonly string[] }[],
): Step[] => {
  const rows = users.flatMap(({ id: userId, groups }) =>
    groups.map((name) => ({ userId, name: Buffer.from(name) })),
  );
  return inFewSizes(rows).map((part) => ADD_GROUPS.step({ ...scope(rp), rows: part }));
};
