import { isSuspendedBy } from '../../users/suspension/suspension.js';
import { CORE_USER, ENROLMENT, ENTERPRISE_USER } from '../protocol/attributes.js';
import type { ScimResource } from '../protocol/resource.js';
import { groupLocation } from '../groups/group-resource.js';
import { addressOf, type ScimPlace } from '../protocol/scim-request.js';
import { externalIdOf, managerOf, type DirectoryUser } from './directory-facts.js';

/**
 * A user as SCIM shows it. `active` is the directory's own suspension: that of the help desk is not the directory's to
 * see or to end.
 *
 * @param enrolmentUrl the link of an invitation, which is only in the answer to the call that issued it
 */
export function userResource(
  place: ScimPlace,
  user: DirectoryUser,
  enrolmentUrl?: string,
): ScimResource & Record<string, unknown> {
  const id = user.id.toString('base64url');
  const manager = managerOf(user);
  const externalId = externalIdOf(user);
  return {
    schemas: [
      CORE_USER,
      ...(manager === undefined ? [] : [ENTERPRISE_USER]),
      ...(enrolmentUrl === undefined ? [] : [ENROLMENT]),
    ],
    id,
    ...(externalId !== undefined && { externalId }),
    userName: user.username,
    displayName: user.displayName,
    name: { formatted: user.displayName },
    active: !isSuspendedBy(user, 'directory'),
    ...(user.groups.length > 0 && {
      groups: user.groups.map((group) => ({
        value: group.id.toString('base64url'),
        $ref: groupLocation(place, group.id),
        display: group.name.toString('utf8'),
        type: 'direct',
      })),
    }),
    ...(manager !== undefined && { [ENTERPRISE_USER]: { manager: { value: manager } } }),
    ...(enrolmentUrl !== undefined && { [ENROLMENT]: { enrolmentUrl } }),
    meta: {
      resourceType: 'User',
      created: new Date(Number(user.createdAt)).toISOString(),
      location: `${addressOf(place)}/Users/${id}`,
    },
  };
}
