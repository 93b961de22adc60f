import type { Document, Reference, Schema } from './openapi.js';

/** Where a schema is used: a refusal may gain variants, one for each new code. */
export type Use = 'request' | 'answer' | 'refusal';

/** The docs ask programs to expect new codes; removed ones are found for each operation. */
const OPEN_LISTS = ['errorCode', 'reason'];

const LOWER_BOUNDS = ['minimum', 'minLength', 'minItems'] as const;
const UPPER_BOUNDS = ['maximum', 'maxLength', 'maxItems'] as const;

/** Resolves the references of a document. */
class Schemas {
  constructor(private readonly document: Document) {}

  resolve<T extends object>(it: T | Reference): T {
    if (!('$ref' in it) || typeof it.$ref !== 'string') return it as T;
    const [, , kind = '', name = ''] = it.$ref.split('/');
    const found = this.document.components?.[kind]?.[name] as T | Reference | undefined;
    if (!found) throw new Error(`${it.$ref} is not in the document`);
    return this.resolve(found);
  }

  /** The alternatives of a schema, of which a value must match one; `allOf` makes one schema. */
  variants(schema: Schema = {}): Schema[] {
    const { oneOf, anyOf, allOf, ...own } = this.resolve<Schema>(schema);
    const parts = [...(allOf ?? []).map((part) => this.variants(part))];
    if (oneOf ?? anyOf)
      parts.push([...(oneOf ?? []), ...(anyOf ?? [])].flatMap((it) => this.variants(it)));
    return parts.reduce(
      (joined, part) => joined.flatMap((one) => part.map((other) => join(one, other))),
      [own as Schema],
    );
  }

  errorCodes(schema?: Schema): Set<unknown> {
    return new Set(
      this.variants(schema).flatMap(({ properties }) => {
        const { errorCode } = properties ?? {};
        return errorCode ? (this.resolve<Schema>(errorCode).enum ?? []) : [];
      }),
    );
  }
}

/** The intersection of two schemas; of two lists of values, those in both. */
function join(one: Schema, other: Schema): Schema {
  const properties = { ...one.properties };
  for (const [name, schema] of Object.entries(other.properties ?? {})) {
    const present = properties[name];
    properties[name] = present ? join(present, schema) : schema;
  }
  const values =
    one.enum && other.enum ? one.enum.filter((value) => other.enum?.includes(value)) : undefined;
  return {
    ...one,
    ...other,
    ...(values && { enum: values }),
    ...((one.properties ?? other.properties) && { properties }),
    ...((one.required ?? other.required) && {
      required: [...(one.required ?? []), ...(other.required ?? [])],
    }),
  };
}

/** Compares the schemas of two documents. */
export class SchemaComparison {
  readonly before: Schemas;
  readonly now: Schemas;
  /** By the names of both schemas, since schemas may be recursive. */
  readonly #known = new Map<string, string[]>();

  constructor(before: Document, now: Document) {
    this.before = new Schemas(before);
    this.now = new Schemas(now);
  }

  /** Changes that break programs, each as the path of a member and a predicate: `.users[].name is gone`. */
  differences(old: Schema = {}, present: Schema = {}, use: Use): string[] {
    const key = old.$ref && present.$ref && `${use} ${old.$ref} ${present.$ref}`;
    const known = key && this.#known.get(key);
    if (known) return known;
    if (key) this.#known.set(key, []);
    const found = this.#compareVariants(old, present, use);
    if (key) this.#known.set(key, found);
    return found;
  }

  /** In an answer, each new variant must have existed before; in a request, each old one must still exist. */
  #compareVariants(old: Schema, present: Schema, use: Use): string[] {
    const were = this.before.variants(old);
    const are = this.now.variants(present);
    const attempts =
      use === 'answer'
        ? are.map((is) => were.map((was) => this.#compare(was, is, use)))
        : were.map((was) => are.map((is) => this.#compare(was, is, use)));
    return attempts.flatMap((found) =>
      found.reduce((least, one) => (one.length < least.length ? one : least)),
    );
  }

  #compare(was: Schema, is: Schema, use: Use): string[] {
    const found = [
      ...typeChanges(was, is, use),
      ...valueChanges(was, is, use),
      ...(use === 'request' ? narrowedBounds(was, is) : []),
      ...requiredChanges(was, is, use),
    ];
    for (const [name, schema] of Object.entries(was.properties ?? {})) {
      const other = is.properties?.[name];
      if (!other) found.push(`.${name} is gone`);
      else if (use === 'request' || !OPEN_LISTS.includes(name)) {
        found.push(...this.#within(`.${name}`, schema, other, use));
      }
    }
    if (was.items ?? is.items) found.push(...this.#within('[]', was.items, is.items, use));
    const values = was.additionalProperties;
    const others = is.additionalProperties;
    if (typeof values === 'object' && typeof others === 'object') {
      found.push(...this.#within('.*', values, others, use));
    }
    return found;
  }

  #within(place: string, old: Schema | undefined, present: Schema | undefined, use: Use): string[] {
    return this.differences(old, present, use).map((difference) => `${place}${difference}`);
  }
}

/** A request must be accepted as before, and an answer may contain no other values than before. */
const widerAndNarrower = (was: Schema, is: Schema, use: Use) =>
  use === 'request' ? { wide: is, narrow: was } : { wide: was, narrow: is };

function typeChanges(was: Schema, is: Schema, use: Use): string[] {
  const { wide, narrow } = widerAndNarrower(was, is, use);
  const types = typesOf(wide);
  const others = typesOf(narrow);
  const covers = (type: string) =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  const isTypeKept = types.length === 0 || (others.length > 0 && others.every(covers));
  const isFormatKept = wide.format === undefined || wide.format === narrow.format;
  const asText = ({ type, format }: Schema) => `${String(type)}${format ? ` (${format})` : ''}`;
  return isTypeKept && isFormatKept ? [] : [` was ${asText(was)} and is ${asText(is)}`];
}

function typesOf({ type }: Schema): readonly string[] {
  if (type === undefined) return [];
  return typeof type === 'string' ? [type] : type;
}

function valueChanges(was: Schema, is: Schema, use: Use): string[] {
  const { wide, narrow } = widerAndNarrower(was, is, use);
  if (!wide.enum) return [];
  if (!narrow.enum) return [' is no longer one of a list of values'];
  const other = narrow.enum.filter((value) => !wide.enum?.includes(value));
  // A list of values in an answer may grow; a single value is a constant.
  if (use !== 'request' && wide.enum.length > 1) return [];
  const what = use === 'request' ? 'no longer takes' : 'can be';
  return other.map((value) => ` ${what} ${JSON.stringify(value)}`);
}

function narrowedBounds(was: Schema, is: Schema): string[] {
  const lower = LOWER_BOUNDS.filter(
    (bound) => (is[bound] ?? -Infinity) > (was[bound] ?? -Infinity),
  );
  const upper = UPPER_BOUNDS.filter((bound) => (is[bound] ?? Infinity) < (was[bound] ?? Infinity));
  const pattern = is.pattern !== undefined && is.pattern !== was.pattern ? ['pattern'] : [];
  return [...lower, ...upper, ...pattern].map((bound) => ` has a narrower ${bound}`);
}

function requiredChanges(was: Schema, is: Schema, use: Use): string[] {
  const { wide, narrow } = widerAndNarrower(was, is, use);
  const what = use === 'request' ? 'is required now' : 'is not always there any more';
  return (
    (wide.required ?? [])
      .filter((name) => !narrow.required?.includes(name))
      // A removed member is named only once.
      .filter((name) => use === 'request' || is.properties?.[name])
      .map((name) => `.${name} ${what}`)
  );
}
