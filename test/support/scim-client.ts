import { bearer, issueKey } from './application-keys.js';
import { Client, type Answer } from './client.js';

export const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
export const ENROLMENT = 'urn:servicefido:scim:schemas:extension:enrolment:1.0:User';

const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const GROUP = 'urn:ietf:params:scim:schemas:core:2.0:Group';
const PATCH = 'urn:ietf:params:scim:api:messages:2.0:PatchOp';

interface Place {
  readonly tenant: string;
  readonly domain: string;
}

interface Operation {
  readonly op: string;
  readonly path?: string;
  readonly value?: unknown;
}

/** A directory that manages the users of one relying party by SCIM. */
export class ScimClient extends Client {
  constructor(
    url: string,
    secret: string,
    readonly place: Place,
  ) {
    super(url, { ...bearer(secret), 'content-type': 'application/scim+json; charset=utf-8' });
  }

  /** A directory with a new application key of its tenant. */
  static async start(url: string, place: Place): Promise<ScimClient> {
    const { secret } = await issueKey(url, { tenant: place.tenant, scopes: ['scim'] });
    return new ScimClient(url, secret, place);
  }

  call(method: string, path: string, body?: object | string, headers = {}): Promise<Answer> {
    const { tenant, domain } = this.place;
    return this.send(`/scim/v2/${tenant}/${domain}${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
  }

  create(user: object): Promise<Answer> {
    return this.call('POST', '/Users', { schemas: [USER], ...user });
  }

  /** @returns the ID of a new user */
  async created(user: object): Promise<string> {
    const { status, text, body } = await this.create(user);
    if (status !== 201) throw new Error(`create: ${status} ${text}`);
    return String(body['id']);
  }

  user(id: string): Promise<Answer> {
    return this.call('GET', `/Users/${id}`);
  }

  replace(id: string, user: object): Promise<Answer> {
    return this.call('PUT', `/Users/${id}`, { schemas: [USER], ...user });
  }

  patchUser(id: string, ...operations: readonly Operation[]): Promise<Answer> {
    return this.patchOf('Users', id, operations);
  }

  createGroup(group: object): Promise<Answer> {
    return this.call('POST', '/Groups', { schemas: [GROUP], ...group });
  }

  patchGroup(id: string, ...operations: readonly Operation[]): Promise<Answer> {
    return this.patchOf('Groups', id, operations);
  }

  find(filter: string, kind = 'Users'): Promise<Answer> {
    return this.call('GET', `/${kind}?${new URLSearchParams({ filter }).toString()}`);
  }

  private patchOf(kind: string, id: string, operations: readonly Operation[]): Promise<Answer> {
    return this.call('PATCH', `/${kind}/${id}`, { schemas: [PATCH], Operations: operations });
  }
}

/** Expects an error in SCIM's form, whose detail ends with our code and reason. */
export function expectScimError(
  answer: Answer,
  status: number,
  ending: string,
  scimType?: string,
): void {
  expect(answer.body).toEqual({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: String(status),
    ...(scimType !== undefined && { scimType }),
    detail: expect.stringMatching(/^["A-Z].*\. \(\w+ [\w.]+\)$/),
  });
  expect(answer.status).toBe(status);
  expect(String(answer.body['detail'])).toContain(`(${ending})`);
  expect(answer.headers.get('content-type')).toBe('application/scim+json; charset=utf-8');
  expect(answer.headers.get('cache-control')).toBe('no-store');
}
