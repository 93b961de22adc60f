import { Client, adminClient, type Answer } from './client.js';

export const KEYS = '/tenantapi/keys';

export interface IssuedKey {
  readonly id: string;
  readonly name: string;
  readonly prefix: string;
  readonly lastUsedAt: string | null;
}

/** What an administrator sends to issue a key. */
export interface KeyRequest {
  readonly name?: string;
  readonly tenant: string;
  readonly scopes: readonly string[];
  readonly relyingParties?: readonly string[];
  readonly expiresAt?: string;
}

/** Issues a key as the administrator. */
export async function issueKey(url: string, request: KeyRequest) {
  const { status, body } = await adminClient(url).post(KEYS, { name: 'backend', ...request });
  if (status !== 201) throw new Error(`issue: ${status} ${JSON.stringify(body)}`);
  return { key: body['key'] as IssuedKey, secret: String(body['secret']) };
}

export const revokeKey = (url: string, { id }: IssuedKey): Promise<Answer> =>
  adminClient(url).send(`${KEYS}/${id}`, { method: 'DELETE' });

export const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` });

/** A backend that calls with a key. */
export const keyClient = (url: string, secret: string, relyingParty?: string): Client =>
  new Client(url, {
    ...bearer(secret),
    ...(relyingParty === undefined ? {} : { 'x-servicefido-relyingparty': relyingParty }),
  });
