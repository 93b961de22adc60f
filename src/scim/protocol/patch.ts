import { problem } from '../../platform/errors/reasons.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { shortened } from '../../platform/validation/unknown-fields.js';
import {
  attributeOf,
  ensureSubAttributes,
  hasSubAttribute,
  membersOf,
  schemaNamed,
  type Attribute,
  type CoreSchema,
  type ScimMembers,
} from './attributes.js';
import { scimError } from './scim-error.js';

const OPS = ['add', 'remove', 'replace'] as const;
type PatchOp = (typeof OPS)[number];

/** One change of one attribute. */
export interface AttributeChange {
  readonly op: PatchOp;
  /** As it was written. */
  readonly path: string;
  readonly attribute: Attribute;
  /** Selects values of a multi-valued attribute: `value eq "…"` of `members[value eq "…"]`. */
  readonly filter: string | undefined;
  /** `undefined` only for a removal. */
  readonly value: unknown;
}

/** Directories send tens; the limit bounds what one request costs. */
const MAX_OPERATIONS = 1000;
const MAX_PATH = 1024;

/** RFC 7644 §3.5.2; directories write them in any case. */
const MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'value']);
const PATH = /^([^[\]]+)(?:\[(.*)\](?:\.([a-z$][\w$-]*))?)?$/is;

/**
 * Reads the operations of a PATCH (RFC 7644 §3.5.2) as changes of single attributes, in their order. Directories write
 * `op` in any case, and leave out `path`: then each member of the value is a path of its own.
 *
 * @param core the schema of the resource
 * @throws ApiError E0045R `invalidSyntax`, `invalidPath` or `invalidValue`
 */
export function parsePatch(core: CoreSchema, body: ScimMembers): AttributeChange[] {
  const operations = body.get('operations');
  if (!Array.isArray(operations) || operations.length === 0 || operations.length > MAX_OPERATIONS) {
    throw scimError('invalidSyntax', problem('scim.operations', { most: MAX_OPERATIONS }));
  }
  return operations.flatMap((operation: unknown) => {
    const members = membersOf(operation);
    // Without its misspelt value, a removal of members would remove all of them.
    const unknown = [...members.keys()].find((name) => !MEMBERS.has(name));
    if (unknown !== undefined) {
      throw scimError('invalidSyntax', problem('scim.operation', { name: shortened(unknown) }));
    }
    const named = members.get('op');
    const op = OPS.find((one) => typeof named === 'string' && one === named.toLowerCase());
    if (!op) {
      throw scimError('invalidSyntax', problem('scim.operations', { most: MAX_OPERATIONS }));
    }
    const path = members.get('path') ?? undefined;
    const value = members.get('value');
    if (path !== undefined) return [changeOf(core, { op, path, value })];
    if (op === 'remove' || !isObject(value)) throw unsupportedPath('');
    return pathsOf(core, value).map(([name, member]) =>
      changeOf(core, { op, path: name, value: member }),
    );
  });
}

/**
 * The members of a value without a path, by the paths that they stand for; the members of an extension are such members
 * too.
 */
const pathsOf = (core: CoreSchema, value: object): (readonly [string, unknown])[] =>
  Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
    schemaNamed(core, name) && isObject(member)
      ? Object.entries(member).map(([inner, one]) => [`${name}:${inner}`, one] as const)
      : [[name, member] as const],
  );

function changeOf(
  core: CoreSchema,
  { op, path, value }: { readonly op: PatchOp; readonly path: unknown; readonly value: unknown },
): AttributeChange {
  if (typeof path !== 'string' || path.length > MAX_PATH) throw unsupportedPath('');
  const [, name = '', filter, ofFiltered] = PATH.exec(path) ?? [];
  const attribute = attributeOf(core, name);
  const sub = ofFiltered?.toLowerCase() ?? attribute?.sub;
  if (!attribute || !hasSubAttribute(attribute.name, sub)) throw unsupportedPath(path);
  if (value === undefined && op !== 'remove') {
    throw scimError('invalidValue', problem('scim.value', { field: path }));
  }
  if (sub === undefined) ensureSubAttributes(core, attribute.name, value);
  return {
    op,
    path,
    attribute: { ...attribute, sub },
    filter,
    value: op === 'remove' && value === null ? undefined : value,
  };
}

export const unsupportedPath = (path: string) =>
  scimError('invalidPath', problem('scim.path', { path: path.slice(0, 200) }));
