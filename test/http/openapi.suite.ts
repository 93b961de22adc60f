import { readFileSync } from 'node:fs';
import { PRODUCT_VERSION, projectPath } from '../../src/platform/project.js';
import { breakingChanges } from '../support/api/breaking-changes.js';
import { examplesIn } from '../support/api/examples.js';
import { newestKeptDocument } from '../support/api/kept-documents.js';
import { Client, adminClient } from '../support/client.js';
import type { Document } from '../support/api/openapi.js';
import { validatorOf } from '../support/contract/validators.js';
import { PATHS } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

describe('the OpenAPI document', () => {
  let server: TestServer;
  let document: OpenApi;
  beforeAll(async () => {
    server = await TestServer.start();
    const { text } = await new Client(server.url).get('/docs/openapi.json');
    document = JSON.parse(text) as OpenApi;
  });
  afterAll(() => server.stop());

  it('the served document equals the one that `npm run openapi` writes for client generators', () => {
    const written: unknown = JSON.parse(readFileSync(projectPath('dist/openapi.json'), 'utf8'));
    expect(document).toEqual(written);
  });

  it('the OpenAPI document breaks no program for an earlier release of the same major version', () => {
    const { version, document: released } = newestKeptDocument();
    const isMajor = Number.parseInt(PRODUCT_VERSION) > Number.parseInt(version);
    expect(isMajor ? [] : breakingChanges(released, document as unknown as Document)).toEqual([]);
  });

  it('the OpenAPI document has the headers of a page, and a client that has it gets 304', async () => {
    const client = new Client(server.url);
    const { headers, text } = await client.get('/docs/openapi.json');
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      'cache-control': 'no-cache',
      'content-security-policy': expect.stringContaining("default-src 'none'") as string,
      'x-content-type-options': 'nosniff',
      etag: expect.stringMatching(/^"[\w-]+"$/) as string,
    });
    // Without a header of our own, fetch would ask for all of it (`Cache-Control: no-cache`).
    const asked = (tag: string) =>
      client.get('/docs/openapi.json', { 'if-none-match': tag, 'cache-control': 'max-age=0' });
    expect(await asked(headers.get('etag') ?? '')).toMatchObject({ status: 304, text: '' });
    expect(await asked('"another"')).toMatchObject({ status: 200, text });
  });

  it('the OpenAPI document describes the four calls on both paths, and the administration', () => {
    const described = Object.keys(document.paths);
    const calls = [...Object.values(PATHS.certify), ...Object.values(PATHS.alias)];
    expect(described).toEqual(expect.arrayContaining(calls));
    expect(described).toEqual(
      expect.arrayContaining([
        '/tenantapi/tenants',
        '/tenantapi/tenants/{tenant}/relying-parties/{domain}',
        '/userapi/tickets',
        '/.well-known/jwks.json',
        '/health/ready',
      ]),
    );
  });

  it('the OpenAPI document describes a query parameter by type, values, meaning and example', () => {
    const { parameters = [] } = document.paths['/userapi/manageusers']?.['get'] ?? {};
    const named = new Map(parameters.map((parameter) => [parameter.name, parameter]));
    expect(named.get('type')?.schema.enum).toEqual(expect.arrayContaining(['list', 'deluser']));
    expect(named.get('limit')?.schema).toMatchObject({ type: 'number', minimum: 1, maximum: 1000 });
    expect(named.get('filter')).toMatchObject({
      in: 'query',
      required: false,
      description: expect.stringContaining('`*`') as string,
      example: 'anna*',
      schema: { type: 'string' },
    });
  });

  it('the OpenAPI document states who may call each operation, and marks the public ones', async () => {
    const client = new Client(server.url);
    const open: string[] = [];
    for (const { name, method, path, security } of operationsOf(document)) {
      expect([name, Array.isArray(security)]).toEqual([name, true]);
      if (security?.length !== 0) continue;
      open.push(name);
      const json = { headers: { 'content-type': 'application/json' }, body: '{}' };
      const sent = method === 'get' ? {} : json;
      const answer = await client.send(path.replaceAll(/\{\w+\}/g, 'nothing'), {
        method: method.toUpperCase(),
        ...sent,
      });
      expect([name, answer.status === 401]).toEqual([name, false]);
    }
    expect(open.sort()).toEqual([
      'get /.well-known/apple-app-site-association',
      'get /.well-known/assetlinks.json',
      'get /.well-known/jwks.json',
      'get /.well-known/openid-configuration',
      'get /.well-known/passkey-endpoints',
      'get /.well-known/webauthn',
      'get /fidoapi/test',
      'get /fidoapi/testdb',
      'get /health/live',
      'get /health/ready',
      'get /wellknown/{domain}/{file}',
      'post /fidoapi/invitation',
    ]);
  });

  it('the OpenAPI document says which roles and application keys may call an operation', () => {
    const described = (path: string, method: string) => document.paths[path]?.[method]?.description;
    expect(described('/userapi/events', 'get')).toBe(
      'For accounts with the role admin or helpdesk or lead or auditor, and for application keys with the permission events:read.',
    );
    expect(described('/tenantapi/tenants', 'post')).toBe(
      'For accounts with the role admin. Accounts that are limited to tenants may not call it.',
    );
  });

  it('each request body in the OpenAPI document has an example with content', () => {
    const empty = operationsOf(document).flatMap(({ name, requestBody }) =>
      Object.entries(requestBody?.content ?? {})
        .filter(([, { example }]) => ['{}', '""', undefined].includes(JSON.stringify(example)))
        .map(([type]) => `${name} ${type}`),
    );
    expect(empty).toEqual([]);
  });

  it('each example in the OpenAPI document matches its schema', () => {
    const examples = examplesIn(document as unknown as Document);
    expect(examples.length).toBeGreaterThan(1500);
    const faults = examples.map(([pointer, value]) => [pointer, validatorOf(pointer)(value)]);
    expect(faults.filter(([, fault]) => fault !== undefined)).toEqual([]);
  });

  it('only requests forbid members, since a minor version may add some to answers', () => {
    const closed: string[] = [];
    const look = (schema: Schema, place: string): void => {
      if (schema.additionalProperties === false) closed.push(place);
      const { properties = {}, items, oneOf = [], anyOf = [] } = schema;
      for (const [name, one] of Object.entries(properties)) look(one, `${place}.${name}`);
      for (const one of [...(items ? [items] : []), ...oneOf, ...anyOf]) look(one, place);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name);
    expect(closed.sort()).toEqual([
      'BeginAuthenticationDto.transaction',
      'ChangeRelyingPartyDto.policy',
      'CreateRelyingPartyDto.policy',
      'PolicyTrialDto.policy',
    ]);
  });

  it('each resource with a PATCH in the OpenAPI document has a GET', () => {
    const unread = Object.entries(document.paths)
      .filter(([, methods]) => methods['patch'] && !methods['get'])
      .map(([path]) => path);
    expect(unread).toEqual([]);
  });

  it('no schema of the OpenAPI document mixes named members and a type for all others', () => {
    const strange: string[] = [];
    const look = (schema: Schema, place: string): void => {
      const { properties = {}, additionalProperties: others, items, oneOf = [] } = schema;
      if (typeof others === 'object' && Object.keys(properties).length > 0) strange.push(place);
      for (const [name, one] of Object.entries(properties)) look(one, `${place}.${name}`);
      if (items) look(items, `${place}[]`);
      for (const one of oneOf) look(one, place);
    };
    for (const [name, schema] of Object.entries(document.components.schemas)) look(schema, name);
    expect(strange).toEqual([]);
  });

  it('the OpenAPI document explains each operation, parameter and field', () => {
    const operations = operationsOf(document);
    const brief = operations.filter(({ summary, description }) => !summary || !description);
    expect(brief.map(({ name }) => name)).toEqual([]);
    const parameters = operations.flatMap(({ name, parameters = [] }) =>
      parameters
        .filter((parameter) => parameter.in !== 'path')
        .map(({ schema, description, example, ...it }): [string, Schema] => [
          `${name}: ${it.name}`,
          {
            ...schema,
            ...(description && { description }),
            ...(example !== undefined && { examples: [example] }),
          },
        ]),
    );
    const fields = Object.entries(document.components.schemas).flatMap(([dto, { properties }]) =>
      Object.entries(properties ?? {}).map(([field, it]): [string, Schema] => [
        `${dto}.${field}`,
        it,
      ]),
    );
    const mute = [...parameters, ...fields].filter(([, it]) => {
      if (it.$ref ?? it.oneOf ?? it.anyOf ?? it.allOf ?? it.items?.$ref) return false;
      return !it.type || !(it.enum ?? it.format ?? it.description ?? it.examples);
    });
    expect(mute).toEqual([]);
  });

  it('the server has each operation of the OpenAPI document', async () => {
    const admin = adminClient(server.url);
    for (const [template, methods] of Object.entries(document.paths)) {
      const path = template.replaceAll(/\{\w+\}/g, 'nothing');
      for (const method of Object.keys(methods)) {
        const body = method === 'get' || method === 'delete' ? {} : { body: '{}' };
        const headers = { 'content-type': 'application/json' };
        const { body: answer } = await admin.send(path, {
          method: method.toUpperCase(),
          headers,
          ...body,
        });
        expect(`${method} ${template}: ${answer.errorCode}`).not.toContain('E0047R');
      }
    }
  });
});

function operationsOf({ paths }: OpenApi) {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, it]) => ({
      ...it,
      name: `${method} ${path}`,
      method,
      path,
    })),
  );
}

interface OpenApi {
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
  };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly summary?: string;
  readonly description?: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly example?: unknown }>>;
  };
  readonly security?: readonly object[];
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: { readonly type?: string; readonly enum?: readonly string[] };
}

/** What a parameter or a field may hold. */
interface Schema {
  readonly type?: string;
  readonly $ref?: string;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
}
