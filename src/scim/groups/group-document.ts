import { mapKey } from '../../platform/database/row-ids.js';
import { problem } from '../../platform/errors/reasons.js';
import { isName, nameProblem, normalizeName } from '../../platform/validation/values/names.js';
import {
  CORE_GROUP,
  ensureAttributes,
  membersOf,
  type ScimMembers,
} from '../protocol/attributes.js';
import { parseFilter } from '../protocol/filter.js';
import { parsePatch, unsupportedPath, type AttributeChange } from '../protocol/patch.js';
import { idOf, rowIdOf } from '../protocol/values.js';
import { scimError } from '../protocol/scim-error.js';

/** What a change does to the members of a group: users by their IDs (`mapKey`). */
export interface MemberChange {
  readonly add: ReadonlyMap<string, Buffer>;
  readonly remove: ReadonlyMap<string, Buffer>;
}

export interface MemberWishes extends MemberChange {
  /** Whether everybody else ceases to be a member. */
  readonly replaces: boolean;
}

/** What a directory says about a group; absent members stay as they are. */
export interface GroupWishes {
  /** In NFC. */
  readonly name?: string;
  /** `null` removes it. */
  readonly externalId?: string | null;
  readonly members?: MemberWishes;
}

export type NewGroupWishes = GroupWishes & { readonly name: string };

/**
 * Reads a whole group: the body of a POST or PUT.
 *
 * @throws ApiError E0045R `invalidSyntax` or `invalidValue`
 */
export function parseGroup(body: ScimMembers): NewGroupWishes {
  ensureAttributes(CORE_GROUP, body);
  const name = nameOf(body.get('displayname'));
  const externalId = body.get('externalid') ?? undefined;
  const members = body.get('members') ?? undefined;
  return {
    name,
    ...(externalId !== undefined && { externalId: idOf('externalId', externalId) }),
    ...(members !== undefined && { members: new Members().replace(members) }),
  };
}

/**
 * Reads the body of a PATCH of a group.
 *
 * @throws ApiError E0045R `invalidSyntax`, `invalidPath`, `invalidFilter` or `invalidValue`
 */
export function parseGroupPatch(body: ScimMembers): GroupWishes {
  const wishes: { name?: string; externalId?: string | null; members?: Members } = {};
  for (const change of parsePatch(CORE_GROUP, body)) {
    const { op, path, attribute, filter, value } = change;
    if (attribute.name === 'members') {
      wishes.members ??= new Members();
      changeMembers(wishes.members, change);
      continue;
    }
    if (attribute.name !== 'displayname' && attribute.name !== 'externalid') continue;
    if (filter !== undefined) throw unsupportedPath(path);
    const after = op === 'remove' ? null : value;
    if (attribute.name === 'displayname') wishes.name = nameOf(after);
    else wishes.externalId = idOf('externalId', after);
  }
  return wishes;
}

class Members implements MemberWishes {
  replaces = false;
  readonly add = new Map<string, Buffer>();
  readonly remove = new Map<string, Buffer>();

  replace(value: unknown): this {
    this.replaces = true;
    this.add.clear();
    this.remove.clear();
    return this.adding(value);
  }

  adding(value: unknown): this {
    for (const text of idsIn(value)) {
      const id = rowIdOf(text);
      if (!id) throw noSuchMember(text);
      this.add.set(mapKey(id), id);
      this.remove.delete(mapKey(id));
    }
    return this;
  }

  /** Nobody has an ID in another form. */
  removing(texts: readonly string[]): void {
    for (const text of texts) {
      const id = rowIdOf(text);
      if (!id) continue;
      this.add.delete(mapKey(id));
      if (!this.replaces) this.remove.set(mapKey(id), id);
    }
  }
}

function changeMembers(
  members: Members,
  { op, path, attribute, filter, value }: AttributeChange,
): void {
  if (attribute.sub !== undefined) throw unsupportedPath(path);
  if (filter !== undefined) {
    if (op !== 'remove') throw unsupportedPath(path);
    members.removing([idInFilter(filter, path)]);
  } else if (op === 'add') members.adding(value);
  else if (op === 'replace') members.replace(value);
  else if (value === undefined) members.replace([]);
  else members.removing(idsIn(value));
}

/** The ID of `value eq "…"`. */
function idInFilter(filter: string, path: string): string {
  const [comparison, ...others] = parseFilter(filter);
  if (!comparison || others.length > 0 || !/^value$/i.test(comparison.attribute)) {
    throw unsupportedPath(path);
  }
  return comparison.value;
}

function idsIn(value: unknown): string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  return list.map((one) => {
    const id = typeof one === 'string' ? one : membersOf(one).get('value');
    if (typeof id === 'string') return id;
    throw scimError('invalidValue', problem('scim.value', { field: 'members' }));
  });
}

function nameOf(value: unknown): string {
  if (!isName(value)) throw scimError('invalidValue', nameProblem('displayName'));
  return normalizeName(value);
}

export const noSuchMember = (id: string) =>
  scimError('invalidValue', problem('scim.memberUnknown', { id: id.slice(0, 100) }));
