import { isObject } from '../../platform/validation/field-validator.js';

export const CORE_USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
export const CORE_GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
export const ENTERPRISE_USER = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
/** Our own extension. */
export const ENROLMENT = 'urn:servicefido:scim:schemas:extension:enrolment:1.0:User';

/** The attributes of RFC 7643 §4.1, §4.2, §4.3 and §3.1, in lower case; most are accepted and dropped. */
const KNOWN = {
  [CORE_USER]:
    'id externalid meta schemas username name displayname nickname profileurl title usertype preferredlanguage ' +
    'locale timezone active password emails phonenumbers ims photos addresses groups entitlements roles x509certificates',
  [CORE_GROUP]: 'id externalid meta schemas displayname members',
  [ENTERPRISE_USER]: 'employeenumber costcenter organization division department manager',
  [ENROLMENT]: 'enrol enrolmenturl',
};

type SchemaName = keyof typeof KNOWN;

const attributesOf = (schema: SchemaName): ReadonlySet<string> => new Set(KNOWN[schema].split(' '));

const SCHEMAS = new Map<string, { readonly urn: SchemaName; readonly names: ReadonlySet<string> }>(
  (Object.keys(KNOWN) as SchemaName[]).map((urn) => [
    urn.toLowerCase(),
    { urn, names: attributesOf(urn) },
  ]),
);

/** Whether a member of a resource with this name holds the attributes of a schema. */
export const isSchemaName = (name: string): boolean => SCHEMAS.has(name.toLowerCase());

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
export function attributeOf(core: SchemaName, text: string): Attribute | undefined {
  const lower = text.toLowerCase();
  const urn = [...SCHEMAS.keys()].find((one) => lower.startsWith(`${one}:`));
  const schema = SCHEMAS.get(urn ?? core.toLowerCase());
  const [, name, sub] = NAME.exec(urn === undefined ? lower : lower.slice(urn.length + 1)) ?? [];
  if (!schema || name === undefined || !schema.names.has(name)) return undefined;
  return { schema: schema.urn, name, sub };
}

/**
 * The members of a resource or a complex attribute by their names in lower case. `__proto__` is a name like any other
 * here, which no attribute has.
 */
export const membersOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(
    isObject(value)
      ? Object.entries(value).map(([name, member]) => [name.toLowerCase(), member])
      : [],
  );
