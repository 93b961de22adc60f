import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { TransferredKey, TransferredUser } from '../../../users/transfer/transferred.js';
import { distinctBytes } from '../../../platform/database/row-ids.js';
import { ApiError } from '../../../platform/errors/api-error.js';
import {
  displayNameProblem,
  nameProblem,
  subjectProblem,
  displayNameOf,
  isDisplayName,
  isName,
  isSubject,
  normalizeName,
} from '../../../platform/validation/values/names.js';
import { groupsProblem, isGroups } from '../../../users/groups/group.validators.js';
import type { SourceUser } from '../formats/source.js';
import { checkedKey, type ImportContext } from './checked-key.js';
import { readFlag, readTimeValue } from './values.js';

/** Why a record, or one of its keys, is not imported. */
export interface RecordRefusal {
  readonly error: ApiError;
  readonly credentialId?: Buffer | undefined;
}

/** A valid user with the valid keys of its record, and why other keys are refused. */
export interface CheckedUser {
  readonly user: TransferredUser;
  readonly refusals: readonly RecordRefusal[];
}

/** The maximum number of handles of one user: each of up to a hundred keys may have its own. */
const MAX_HANDLES = 101;
const MAX_HANDLE_BYTES = 64;

/**
 * Checks a record of a file by the rules of a registration.
 *
 * @throws ApiError if the user is refused, regardless of the keys
 */
export async function checkedUser(
  source: SourceUser,
  context: ImportContext,
): Promise<CheckedUser> {
  const { now } = context;
  const { username } = source;
  if (!isName(username)) throw ApiError.of('E0001R', nameProblem('username'));
  const displayName = source.displayName ?? username;
  if (!isDisplayName(displayName)) throw ApiError.of('E0001R', displayNameProblem('displayName'));
  if (source.subject !== undefined && !isSubject(source.subject)) {
    throw ApiError.of('E0001R', subjectProblem('userId'));
  }
  const user = {
    username: normalizeName(username),
    displayName: displayNameOf(displayName),
    subject: source.subject,
    handles: handlesOf(source),
    createdAt: Math.min(readTimeValue('createdAt', source.createdAt) ?? now, now),
    groups: groupsOf(source),
    isSuspended: readFlag('suspended', source.suspended) ?? false,
  };
  const { keys, refusals } = await checkedKeys(source, context);
  return { user: { ...user, keys }, refusals };
}

async function checkedKeys({ keys: sources }: SourceUser, context: ImportContext) {
  const keys: TransferredKey[] = [];
  const refusals: RecordRefusal[] = [];
  for (const source of sources) {
    try {
      keys.push(checkedKey(source, context));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      refusals.push({ error, credentialId: source.credentialId });
    }
    // Checking a key takes 0.1 ms: let other tasks run in between.
    await yieldToEventLoop();
  }
  return { keys, refusals };
}

function groupsOf({ groups = [] }: SourceUser): readonly string[] {
  if (!isGroups(groups)) throw ApiError.of('E0001R', groupsProblem('groups'));
  return groups.map(normalizeName);
}

function handlesOf({ handles }: SourceUser): TransferredUser['handles'] {
  if (handles.length > MAX_HANDLES) {
    throw new ApiError('E0045R', 'import.handles', { most: MAX_HANDLES });
  }
  const found = handles.map((handle) => {
    if (handle && handle.length > 0 && handle.length <= MAX_HANDLE_BYTES) return handle;
    throw new ApiError('E0045R', 'import.handleLength', { most: MAX_HANDLE_BYTES });
  });
  // Hanko's export names a handle with each key of the user.
  const [own, ...further] = distinctBytes(found);
  if (!own) throw new ApiError('E0045R', 'import.handleMissing');
  return [own, ...further];
}
