import type { JSONWebKeySet } from 'jose';
import type { Client } from './client.js';

/** The public keys by which anybody verifies the server's tokens. */
export async function keySetOf(client: Client): Promise<JSONWebKeySet> {
  const { text } = await client.get('/.well-known/jwks.json');
  return JSON.parse(text) as JSONWebKeySet;
}
