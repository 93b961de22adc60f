import { timeOfId } from '../../platform/database/row-ids.js';
import type { AnsweredKey, CredentialFacts } from '../../users/credentials/credential-reader.js';
import type { NewKeyView } from './authentication.answer.js';

/**
 * The user's keys that were added since an earlier sign-in with a key, oldest first; nothing if there are none, or if this
 * is the first sign-in with that key here. Row IDs tell when keys were added: `registeredAt` of an imported key is a
 * time of the other server.
 *
 * @param lastUsedAt time of the previous sign-in; `undefined` if it is unknown, since an instance of an older version
 *   began this one
 */
export function newKeysSince(
  lastUsedAt: number | null | undefined,
  { id: usedId }: Pick<CredentialFacts, 'id'>,
  keys: readonly AnsweredKey[],
): { readonly newKeys?: readonly NewKeyView[] } {
  // A key that was imported has perhaps signed in at the other server only.
  if (lastUsedAt === undefined || lastUsedAt === null || lastUsedAt < timeOfId(usedId)) return {};
  const added = keys.filter(
    ({ id, isDeleted }) => !isDeleted && !id.equals(usedId) && timeOfId(id) >= lastUsedAt,
  );
  if (added.length === 0) return {};
  return { newKeys: added.toSorted((a, b) => Buffer.compare(a.id, b.id)).map(viewOf) };
}

const viewOf = ({ credentialId, deviceName, registeredAt, origin }: AnsweredKey): NewKeyView => ({
  credentialId: credentialId.toString('base64url'),
  deviceName,
  createdAt: new Date(registeredAt).toISOString(),
  ...(origin !== null && { origin }),
});
