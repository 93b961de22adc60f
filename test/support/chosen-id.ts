import type { RegistrationBody } from '../../packages/testing/src/ceremony-json.js';
import { readCreationOptions } from '../../packages/testing/src/options.js';
import type { FidoClient } from './fido-client.js';
import type { Answer } from './client.js';

/**
 * Lets the authenticator make a credential with an ID of the caller's choice, as a dishonest one
 * can; the authenticator knows it by that ID from then on.
 */
export function createWithId(client: FidoClient, begun: Answer, id: Buffer): RegistrationBody {
  const options = readCreationOptions(begun.body);
  const { authenticator, origin } = client;
  const body = authenticator.create(options, { origin, tweaks: { attestedCredentialId: id } });
  const made = authenticator.credentials.pop();
  if (made) authenticator.credentials.push({ ...made, id });
  const text = id.toString('base64url');
  return { ...body, id: text, rawId: text };
}

/** A whole registration of a credential with this ID. */
export async function registerWithId(
  client: FidoClient,
  username: string,
  id: Buffer,
): Promise<Answer> {
  const begun = await client.beginRegistration(username);
  return client.completeRegistration(createWithId(client, begun, id));
}
