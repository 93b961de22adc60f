import { problem } from '../../platform/errors/reasons.js';
import { isObject } from '../../platform/validation/field-validator.js';
import { shortened } from '../../platform/validation/unknown-fields.js';
import { scimError } from './scim-error.js';

export const CORE_USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const CORE_GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE_USER = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
/** Our own extension. */
export const ENROLMENT = 'urn:servicefido:scim:schemas:extension:enrolment:1.0:User';

const DISCOVERY = 'urn:ietf:params:scim:schemas:core:2.0';
/** The schemas of the discovery documents. */
export const SERVICE_PROVIDER_CONFIG = `${DISCOVERY}:ServiceProviderConfig`;
export const RESOURCE_TYPE = `${DISCOVERY}:ResourceType`;
export const SCHEMA = `${DISCOVERY}:Schema`;

/** The attributes of RFC 7643 §3.1 and §4 to §7, in lower case; most of users are accepted and dropped. */
const KNOWN = {
  [CORE_USER]:
    'id externalid meta schemas username name displayname nickname profileurl title usertype preferredlanguage ' +
    'locale timezone active password emails phonenumbers ims photos addresses groups entitlements roles x509certificates',
  [CORE_GROUP]: 'id externalid meta schemas displayname members',
  [ENTERPRISE_USER]: 'employeenumber costcenter organization division department manager',
  [ENROLMENT]: 'enrol enrolmenturl',
  [SERVICE_PROVIDER_CONFIG]:
    'id meta schemas documentationuri patch bulk filter changepassword sort etag authenticationschemes',
  [RESOURCE_TYPE]: 'id meta schemas name description endpoint schema schemaextensions',
  [SCHEMA]: 'id meta schemas name description attributes',
};

/** Of every attribute with several values (RFC 7643 §2.4). */
const OF_VALUES = 'type primary display value $ref';

/** The sub-attributes of complex attributes (RFC 7643 §3.1 and §4 to §7), in lower case. */
const SUB_ATTRIBUTES: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries({
    name: 'formatted familyname givenname middlename honorificprefix honorificsuffix',
    meta: 'resourcetype created lastmodified location version',
    manager: 'value $ref displayname',
    addresses: `${OF_VALUES} formatted streetaddress locality region postalcode country`,
    emails: OF_VALUES,
    phonenumbers: OF_VALUES,
    ims: OF_VALUES,
    photos: OF_VALUES,
    groups: OF_VALUES,
    entitlements: OF_VALUES,
    roles: OF_VALUES,
    x509certificates: OF_VALUES,
    members: OF_VALUES,
    patch: 'supported',
    bulk: 'supported maxoperations maxpayloadsize',
    filter: 'supported maxresults',
    changepassword: 'supported',
    sort: 'supported',
    etag: 'supported',
    authenticationschemes: 'type name description specuri documentationuri primary',
    schemaextensions: 'schema required',
    attributes:
      'name type multivalued description required canonicalvalues caseexact mutability returned uniqueness ' +
      'referencetypes subattributes',
  }).map(([name, names]) => [name, new Set(names.split(' '))]),
);

type SchemaName = keyof typeof KNOWN;

/** The kinds of resources. */
export type CoreSchema = typeof CORE_USER | typeof CORE_GROUP;

const NAMES: ReadonlyMap<SchemaName, ReadonlySet<string>> = new Map(
  (Object.keys(KNOWN) as SchemaName[]).map((urn) => [urn, new Set(KNOWN[urn].split(' '))]),
);

/** The schemas that each kind of resource may have: its own and extensions. */
const SCHEMAS: Readonly<Record<CoreSchema, readonly SchemaName[]>> = {
  [CORE_USER]: [CORE_USER, ENTERPRISE_USER, ENROLMENT],
  [CORE_GROUP]: [CORE_GROUP],
};

/** The schema of a resource whose attributes a member with this name holds. */
export const schemaNamed = (core: CoreSchema, name: string): SchemaName | undefined =>
  SCHEMAS[core].find((urn) => urn.toLowerCase() === name.toLowerCase());

/** An attribute that a resource may have; names are in lower case, since SCIM compares them so (RFC 7643 §2.1). */
export interface Attribute {
  readonly schema: SchemaName;
  readonly name: string;
  /** `formatted` of `name.formatted`. */
  readonly sub: string | undefined;
}

const NAME = /^([a-z$][\w$-]*)(?:\.([a-z$][\w$-]*))?$/;

/**
 * Reads an attribute's name, perhaps with the URN of its schema: `userName`, `name.formatted`,
 * `urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager`.
 *
 * @param core the schema of names without a URN
 * @returns `undefined` for a name that the resource's schemas do not have
 */
export function attributeOf(core: CoreSchema, text: string): Attribute | undefined {
  const lower = text.toLowerCase();
  const urn = SCHEMAS[core].find((one) => lower.startsWith(`${one.toLowerCase()}:`));
  return urn === undefined
    ? attributeIn(core, lower)
    : attributeIn(urn, lower.slice(urn.length + 1));
}

/** @param text a name in lower case without a URN */
function attributeIn(schema: SchemaName, text: string): Attribute | undefined {
  const [, name, sub] = NAME.exec(text) ?? [];
  if (name === undefined || !NAMES.get(schema)?.has(name)) return undefined;
  return hasSubAttribute(name, sub) ? { schema, name, sub } : undefined;
}

/**
 * The attributes that a name in `attributes` or `excludedAttributes` selects (RFC 7644 §3.9): with and without the URN
 * of a schema, and all of a schema by its URN alone. `name.formatted` selects `name`.
 *
 * @returns names in lower case
 * @throws ApiError E0045R `invalidValue` for a name that no schema has: a misspelt one would select nothing
 */
export function selectedBy(text: string): readonly string[] {
  const lower = text.toLowerCase();
  for (const [schema, names] of NAMES) {
    const urn = schema.toLowerCase();
    if (lower === urn) return [...names];
    const bare = lower.startsWith(`${urn}:`) ? lower.slice(urn.length + 1) : lower;
    const found = attributeIn(schema, bare);
    if (found) return [found.name];
  }
  const names = [...NAMES.keys()].join(', ');
  throw scimError('invalidValue', problem('scim.attribute', { name: shortened(text), names }));
}

/** Whether an attribute has this sub-attribute; both names are in lower case. */
export const hasSubAttribute = (name: string, sub: string | undefined): boolean =>
  sub === undefined || (SUB_ATTRIBUTES.get(name)?.has(sub) ?? false);

/**
 * Refuses a value of a complex attribute with a member that it does not have: a misspelt `name.formatted` would be
 * dropped in silence.
 *
 * @throws ApiError E0045R `invalidSyntax`
 */
export function ensureSubAttributes(core: CoreSchema, name: string, value: unknown): void {
  if (!SUB_ATTRIBUTES.has(name)) return;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const one of values) {
    const names = isObject(one) ? Object.keys(one) : [];
    const unknown = names.find((sub) => !hasSubAttribute(name, sub.toLowerCase()));
    if (unknown !== undefined) throw unknownAttribute(core, `${name}.${shortened(unknown)}`);
  }
}

const unknownAttribute = (core: CoreSchema, name: string) =>
  scimError('invalidSyntax', problem('scim.attribute', { name, names: SCHEMAS[core].join(', ') }));

/**
 * Refuses a whole resource with a member that is no attribute of its schemas: a misspelt `active` would be dropped, and
 * the user would stay active. `schemas` may name unknown schemas, but none of another kind of resource.
 *
 * @throws ApiError E0045R `invalidSyntax` or `invalidValue`
 */
export function ensureAttributes(core: CoreSchema, body: ScimMembers): void {
  const schemas = [body.get('schemas')].flat().filter((one) => typeof one === 'string');
  const named = new Set(schemas.map((one) => one.toLowerCase()));
  const foreign = [...NAMES.keys()].find(
    (urn) => !schemaNamed(core, urn) && named.has(urn.toLowerCase()),
  );
  if (foreign !== undefined) {
    throw scimError('invalidSyntax', problem('scim.schema', { name: foreign }));
  }
  for (const [name, value] of body) {
    ensureMember(core, name, value);
  }
}

/** Refuses a member, or a member of an extension, that the schema does not have. */
function ensureMember(core: CoreSchema, name: string, value: unknown): void {
  const schema = schemaNamed(core, name);
  if (schema === undefined || schema === core) {
    if (!NAMES.get(core)?.has(name)) throw unknownAttribute(core, shortened(name));
    ensureSubAttributes(core, name, value);
    return;
  }
  if (value === null) return;
  if (!isObject(value)) throw scimError('invalidValue', problem('scim.value', { field: schema }));
  for (const [inner, one] of membersOf(value)) {
    if (!NAMES.get(schema)?.has(inner)) {
      throw unknownAttribute(core, `${schema}:${shortened(inner)}`);
    }
    ensureSubAttributes(core, inner, one);
  }
}

/** The members of a resource or a complex attribute, by their names in lower case. */
export type ScimMembers = ReadonlyMap<string, unknown>;

/**
 * Reads the members of a value, none if it is no object. `__proto__` is a name like any other
 * here, which no attribute has.
 */
export const membersOf = (value: unknown): ScimMembers =>
  new Map(
    isObject(value)
      ? Object.entries(value).map(([name, member]) => [name.toLowerCase(), member])
      : [],
  );
