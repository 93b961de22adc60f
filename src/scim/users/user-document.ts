import { problem } from '../../platform/errors/reasons.js';
import {
  displayNameOf,
  displayNameProblem,
  isDisplayName,
  isName,
  nameProblem,
  normalizeName,
} from '../../platform/validation/values/names.js';
import {
  CORE_USER,
  ENROLMENT,
  ENTERPRISE_USER,
  ensureAttributes,
  membersOf,
  type Attribute,
  type ScimMembers,
} from '../protocol/attributes.js';
import { parsePatch, unsupportedPath, type AttributeChange } from '../protocol/patch.js';
import { scimError } from '../protocol/scim-error.js';
import { idOf } from '../protocol/values.js';

/** What a directory says about a user; absent members stay as they are. */
export interface UserWishes {
  /** In NFC. */
  readonly username?: string;
  readonly displayName?: string;
  /** `null` removes it. */
  readonly externalId?: string | null;
  readonly manager?: string | null;
  readonly active?: boolean;
  /** Whether to issue an invitation. */
  readonly enrol?: boolean;
}

export type NewUserWishes = UserWishes & { readonly username: string };

type Mutable = { -readonly [Name in keyof UserWishes]: UserWishes[Name] };

/**
 * Reads a whole user: the body of a POST or PUT. Attributes of its schemas that are not stored are dropped, and
 * passwords with them.
 *
 * @throws ApiError E0045R `invalidSyntax` or `invalidValue`
 */
export function parseUser(body: ScimMembers): NewUserWishes {
  ensureAttributes(CORE_USER, body);
  const members = new Map([
    ...body,
    ...membersOf(body.get(ENTERPRISE_USER.toLowerCase())),
    ...membersOf(body.get(ENROLMENT.toLowerCase())),
    ['displayname', body.get('displayname') || membersOf(body.get('name')).get('formatted')],
  ]);
  const wishes: Mutable = {};
  for (const [name, write] of Object.entries(WRITABLE)) {
    const value = members.get(name);
    // An attribute that is null is absent (RFC 7643 §2.5).
    if (value !== undefined && value !== null) write(wishes, value);
  }
  if (wishes.username === undefined) throw wrongName();
  return { ...wishes, username: wishes.username };
}

/**
 * Reads the body of a PATCH of a user. `name.formatted` counts where nothing names `displayName`.
 *
 * @throws ApiError E0045R `invalidSyntax`, `invalidPath` or `invalidValue`
 */
export function parseUserPatch(body: ScimMembers): UserWishes {
  const wishes: Mutable = {};
  let formatted: unknown;
  for (const change of parsePatch(CORE_USER, body)) {
    const { path, attribute, filter } = change;
    const write = writerOf(attribute);
    if (write) {
      if (filter !== undefined) throw unsupportedPath(path);
      write(wishes, valueOf(change));
    } else formatted = formattedName(change) ?? formatted;
  }
  if (formatted !== undefined && wishes.displayName === undefined) {
    WRITABLE.displayname(wishes, formatted);
  }
  return wishes;
}

/** How an attribute is checked and stored; `undefined` for one that is dropped. */
function writerOf({ name, sub }: Attribute) {
  if (name === 'manager' && sub !== undefined && sub !== 'value') return undefined;
  return Object.hasOwn(WRITABLE, name) ? WRITABLE[name as keyof typeof WRITABLE] : undefined;
}

function formattedName({ op, attribute, value }: AttributeChange): unknown {
  if (op === 'remove' || attribute.name !== 'name') return undefined;
  if (attribute.sub === 'formatted') return value;
  return attribute.sub === undefined ? membersOf(value).get('formatted') : undefined;
}

/** A removal is `null`; directories write it as an empty text too. */
const valueOf = ({ op, value }: AttributeChange): unknown =>
  op === 'remove' || value === '' ? null : value;

/** How each attribute is checked and stored, by its name in lower case. */
const WRITABLE = {
  username(wishes: Mutable, value: unknown): void {
    if (!isName(value)) throw wrongName();
    wishes.username = normalizeName(value);
  },
  displayname(wishes: Mutable, value: unknown): void {
    // Each user has one: a removal changes nothing.
    if (value === null) return;
    if (!isDisplayName(value)) {
      throw scimError('invalidValue', displayNameProblem('displayName'));
    }
    wishes.displayName = displayNameOf(value);
  },
  externalid(wishes: Mutable, value: unknown): void {
    wishes.externalId = idOf('externalId', value);
  },
  manager(wishes: Mutable, value: unknown): void {
    const one: unknown = Array.isArray(value) ? value[0] : value;
    const id = one !== null && typeof one === 'object' ? membersOf(one).get('value') : one;
    wishes.manager = idOf('manager', id ?? null);
  },
  active(wishes: Mutable, value: unknown): void {
    wishes.active = flagOf('active', value);
  },
  enrol(wishes: Mutable, value: unknown): void {
    wishes.enrol = flagOf('enrol', value);
  },
};

/** Entra sends `"True"` and `"False"`. */
function flagOf(field: string, value: unknown): boolean {
  const text = typeof value === 'string' ? value.toLowerCase() : value;
  if (text === true || text === 'true') return true;
  if (text === false || text === 'false') return false;
  throw scimError('invalidValue', problem('field.flag', { field }));
}

const wrongName = () => scimError('invalidValue', nameProblem('userName'));
