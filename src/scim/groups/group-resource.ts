import type { DirectoryGroup } from '../../users/groups/directory-group.entity.js';
import { CORE_GROUP } from '../protocol/attributes.js';
import type { ScimResource } from '../protocol/resource.js';
import { addressOf, type ScimPlace } from '../protocol/scim-request.js';

/**
 * A group as SCIM shows it.
 *
 * @param members their IDs; without them the resource has no `members`
 */
export function groupResource(
  place: ScimPlace,
  group: DirectoryGroup,
  members?: readonly Buffer[],
): ScimResource & Record<string, unknown> {
  const id = group.id.toString('base64url');
  const externalId = group.externalId?.toString('utf8');
  return {
    schemas: [CORE_GROUP],
    id,
    ...(externalId !== undefined && { externalId }),
    displayName: group.name,
    ...(members && {
      members: members.map((member) => ({ value: member.toString('base64url') })),
    }),
    meta: {
      resourceType: 'Group',
      created: new Date(Number(group.createdAt)).toISOString(),
      location: groupLocation(place, group.id),
      version: `W/"${Number(group.version)}"`,
    },
  };
}

export const groupLocation = (place: ScimPlace, id: Buffer): string =>
  `${addressOf(place)}/Groups/${id.toString('base64url')}`;
