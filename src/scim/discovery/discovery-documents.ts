import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import {
  CORE_GROUP,
  CORE_USER,
  ENROLMENT,
  ENTERPRISE_USER,
  RESOURCE_TYPE,
  SCHEMA,
  SERVICE_PROVIDER_CONFIG,
} from '../protocol/attributes.js';
import { MAX_RESULTS } from '../protocol/list-request.js';
import type { ScimResource } from '../protocol/resource.js';
import { addressOf, type ScimPlace } from '../protocol/scim-request.js';

type Document = ScimResource & Readonly<Record<string, unknown>>;

/** What this server supports (RFC 7643 §5). */
export const serviceProviderConfig = (place: ScimPlace): Document => ({
  schemas: [SERVICE_PROVIDER_CONFIG],
  id: 'ServiceProviderConfig',
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_RESULTS },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Application key',
      description: 'The secret of an application key with the permission scim, as a bearer token',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: metaOf(place, 'ServiceProviderConfig', 'ServiceProviderConfig'),
});

/** The kinds of resources (RFC 7643 §6). */
export const resourceTypes = (place: ScimPlace): Document[] => [
  {
    schemas: [RESOURCE_TYPE],
    id: 'User',
    name: 'User',
    endpoint: '/Users',
    schema: CORE_USER,
    schemaExtensions: [
      { schema: ENTERPRISE_USER, required: false },
      { schema: ENROLMENT, required: false },
    ],
    meta: metaOf(place, 'ResourceType', 'ResourceTypes/User'),
  },
  {
    schemas: [RESOURCE_TYPE],
    id: 'Group',
    name: 'Group',
    endpoint: '/Groups',
    schema: CORE_GROUP,
    meta: metaOf(place, 'ResourceType', 'ResourceTypes/Group'),
  },
];

/** The attributes that are stored (RFC 7643 §7); all others of these schemas are accepted and dropped. */
export const schemas = (place: ScimPlace): Document[] => [
  schema(place, CORE_USER, 'User', [
    attribute('userName', {
      required: true,
      caseExact: !ignoresCase(place.rp),
      uniqueness: 'server',
    }),
    attribute('displayName'),
    attribute('active', { type: 'boolean' }),
    attribute('groups', {
      type: 'complex',
      multiValued: true,
      mutability: 'readOnly',
      subAttributes: [
        attribute('value', { ...ID_OF_OTHER, mutability: 'readOnly' }),
        attribute('$ref', { type: 'reference', referenceTypes: ['Group'], mutability: 'readOnly' }),
        attribute('display', { mutability: 'readOnly' }),
        attribute('type', { canonicalValues: ['direct'], mutability: 'readOnly' }),
      ],
    }),
  ]),
  schema(place, CORE_GROUP, 'Group', [
    attribute('displayName', { required: true, caseExact: true, uniqueness: 'server' }),
    attribute('members', {
      type: 'complex',
      multiValued: true,
      subAttributes: [attribute('value', { ...ID_OF_OTHER, mutability: 'immutable' })],
    }),
  ]),
  schema(place, ENTERPRISE_USER, 'EnterpriseUser', [
    attribute('manager', {
      type: 'complex',
      subAttributes: [attribute('value', ID_OF_OTHER)],
    }),
  ]),
  schema(place, ENROLMENT, 'Enrolment', [
    attribute('enrol', { type: 'boolean', mutability: 'writeOnly', returned: 'never' }),
    attribute('enrolmentUrl', { mutability: 'readOnly', returned: 'default', caseExact: true }),
  ]),
];

const ID_OF_OTHER = { caseExact: true };

const schema = (
  place: ScimPlace,
  id: string,
  name: string,
  attributes: readonly object[],
): Document => ({
  schemas: [SCHEMA],
  id,
  name,
  attributes,
  meta: metaOf(place, 'Schema', `Schemas/${id}`),
});

/** The characteristics of an attribute that differ from the defaults of RFC 7643 §2.2. */
const attribute = (name: string, differences: Readonly<Record<string, unknown>> = {}) => ({
  name,
  type: 'string',
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: 'readWrite',
  returned: 'default',
  uniqueness: 'none',
  ...differences,
});

const metaOf = (place: ScimPlace, resourceType: string, path: string) => ({
  resourceType,
  location: `${addressOf(place)}/${path}`,
});
