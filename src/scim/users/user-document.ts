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

/** A whole user. */
export type NewUserWishes = UserWishes & { readonly username: string };

type Mutable = { -readonly [Name in keyof UserWishes]: UserWishes[Name] };

/**
 * Reads a whole user: the body of a POST or PUT. Attributes of its schemas that are not stored are dropped, and
 * passwords with them.
 *
 * @throws ApiError E0045R `invalidSyntax` or `invalidValue`
 */
export function parseUser(body: ReadonlyMap<string, unknown>): NewUserWishes {
  ensureAttributes(CORE_USER, body);
  const enterprise = membersOf(body.get(ENTERPRISE_USER.toLowerCase()));
  const enrolment = membersOf(body.get(ENROLMENT.toLowerCase()));
  const values = [
    ['userName', body.get('username')],
    ['displayName', body.get('displayname') || membersOf(body.get('name')).get('formatted')],
    ['externalId', body.get('externalid')],
    ['active', body.get('active')],
    ['manager', enterprise.get('manager')],
    ['enrol', enrolment.get('enrol')],
  ] as const;
  const wishes: Mutable = {};
  for (const [name, value] of values) {
    // An attribute that is null is absent (RFC 7643 §2.5).
    if (value !== undefined && value !== null) WRITABLE[name](wishes, value);
  }
  if (wishes.username === undefined) throw wrongName();
  return { ...wishes, username: wishes.username };
}

/**
 * Reads the body of a PATCH of a user. `name.formatted` counts where nothing names `displayName`.
 *
 * @throws ApiError E0045R `invalidSyntax`, `invalidPath` or `invalidValue`
 */
export function parseUserPatch(body: ReadonlyMap<string, unknown>): UserWishes {
  const wishes: Mutable = {};
  let formatted: unknown;
  for (const change of parsePatch(CORE_USER, body)) {
    const name = writableOf(change.attribute);
    if (name !== undefined) {
      if (change.filter !== undefined) throw unsupportedPath(`${name}[${change.filter}]`);
      WRITABLE[name](wishes, valueOf(change));
    } else formatted = formattedName(change) ?? formatted;
  }
  if (formatted !== undefined && wishes.displayName === undefined) {
    WRITABLE.displayName(wishes, formatted);
  }
  return wishes;
}

const NAMES = {
  username: 'userName',
  displayname: 'displayName',
  externalid: 'externalId',
  active: 'active',
  manager: 'manager',
  enrol: 'enrol',
} as const;

/** The name of an attribute that is stored; `undefined` for one that is dropped. */
function writableOf({ name, sub }: Attribute) {
  if (name === 'manager' && sub !== undefined && sub !== 'value') return undefined;
  return Object.hasOwn(NAMES, name) ? NAMES[name as keyof typeof NAMES] : undefined;
}

function formattedName({ op, attribute, value }: AttributeChange): unknown {
  if (op === 'remove' || attribute.name !== 'name') return undefined;
  if (attribute.sub === 'formatted') return value;
  return attribute.sub === undefined ? membersOf(value).get('formatted') : undefined;
}

/** A removal is `null`; directories write it as an empty text too. */
const valueOf = ({ op, value }: AttributeChange): unknown =>
  op === 'remove' || value === '' ? null : value;

/** How each attribute is checked and stored. */
const WRITABLE = {
  userName(wishes: Mutable, value: unknown): void {
    if (!isName(value)) throw wrongName();
    wishes.username = normalizeName(value);
  },
  displayName(wishes: Mutable, value: unknown): void {
    // Each user has one: a removal changes nothing.
    if (value === null) return;
    if (!isDisplayName(value)) {
      throw scimError('invalidValue', displayNameProblem('displayName'));
    }
    wishes.displayName = displayNameOf(value);
  },
  externalId(wishes: Mutable, value: unknown): void {
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
