import { sha256 } from '../../platform/common/sha256.js';
import { ensureTag, type ExpectedTags } from '../../platform/http/versions.js';
import { ENROLMENT, membersOf } from './attributes.js';
import type { Projection } from './list-request.js';

const LIST = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

/** A resource of an answer. Without `meta.version`, its version follows from the rest. */
export interface ScimResource {
  readonly schemas: readonly string[];
  readonly id: string;
  readonly meta: {
    readonly resourceType: string;
    readonly location: string;
    readonly created?: string;
    /** The entity tag, for a resource that counts its changes. */
    readonly version?: string;
  };
}

/**
 * The entity tag of a resource (RFC 7644 §3.14): weak, and equal as long as a client would see the same. A link that is
 * answered once does not count, nor do the groups of a user: they change only with the groups themselves.
 */
export function etagOf({ meta, ...attributes }: ScimResource): string {
  if (meta.version !== undefined) return meta.version;
  const others = ['schemas', 'groups', ENROLMENT];
  const lasting = Object.entries(attributes).filter(([name]) => !others.includes(name));
  const state = JSON.stringify([meta.created, lasting]);
  return `W/"${sha256(state).toString('base64url', 0, 15)}"`;
}

/** The resource as it is answered: with its version, and with the requested attributes only (RFC 7644 §3.9). */
export function answeredResource(
  resource: ScimResource,
  { attributes, excluded }: Projection,
): ScimResource {
  const { meta } = resource;
  const whole = { ...resource, meta: { ...meta, version: etagOf(resource) } };
  const isWanted = ([name, value]: readonly [string, unknown]): boolean => {
    const lower = name.toLowerCase();
    if (lower === 'id' || lower === 'schemas') return true;
    // A URN names an extension, whose attributes are asked for by their own names.
    const names = name.startsWith('urn:') ? [...membersOf(value).keys()] : [lower];
    if (attributes && !names.some((one) => attributes.has(one))) return false;
    return !names.every((one) => excluded.has(one));
  };
  return Object.fromEntries(Object.entries(whole).filter(isWanted)) as unknown as ScimResource;
}

/** The envelope of a list (RFC 7644 §3.4.2). */
export const listResponse = (
  resources: readonly ScimResource[],
  { total, startIndex }: { readonly total: number; readonly startIndex: number },
) => ({
  schemas: [LIST],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: resources,
});

export type ResourceList = ReturnType<typeof listResponse>;

/** @throws ApiError E0053R if none of the expected tags is the resource's */
export function ensureVersion(expected: ExpectedTags, resource: ScimResource): void {
  if (expected) ensureTag(expected, etagOf(resource));
}
