import { newId } from '../../platform/database/columns.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { padded } from '../../platform/database/padded.js';
import { scopeParams } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ignoresCase } from '../../tenancy/usernames/name-key.js';
import { foldedName } from '../../platform/validation/values/folded-name.js';
import type { LabelledKey } from '../credentials/key-label.js';
import type { FoundUser } from '../user-rows.js';
import {
  END_DELETIONS_OF_NAME,
  END_DELETIONS_OF_USER,
  KEEP_DELETION,
  KEEP_HANDLES,
  KEEP_NAMES,
  keepKeys,
} from './deletion.statements.js';

/** A key that was deleted. */
export interface KeptKey extends LabelledKey {
  readonly credentialHash: Buffer;
  readonly enabled: boolean;
}

/** A deletion that can be taken back. Times are milliseconds since 1970. */
export interface KeptDeletion {
  readonly id: Buffer;
  readonly relyingParty: RelyingParty;
  readonly userId: Buffer;
  readonly username: string;
  readonly displayName: string;
  /** Whether the user was deleted too; otherwise only keys were. */
  readonly whole: boolean;
  readonly at: number;
  readonly until: number;
  readonly account: string;
  readonly reason: string | null;
  readonly keys: readonly KeptKey[];
}

/** Who deletes on a page, and why. Deletions of one occasion can be taken back together. */
export interface Keeping {
  readonly account: string;
  readonly reason?: string | undefined;
  /** Names the request or the list that deletes. */
  readonly occasion: string;
}

const bytesOf = (name: string): Buffer => Buffer.from(name, 'utf8');

/**
 * The steps that keep copies, so that a deletion of a user or of some keys can be taken back. They stand
 * before the deletion in the same unit.
 *
 * @param user with the keys that are to be deleted
 * @param whole whether the user goes too
 */
export function keepingSteps(
  user: FoundUser,
  { account, reason, occasion }: Keeping,
  { at, whole }: { readonly at: number; readonly whole: boolean },
): Step[] {
  const { id: userId, relyingParty, credentials } = user;
  const [id, scope] = [newId(at), scopeParams(relyingParty)];
  const told = [bytesOf(foldedName(user.username)), whole ? 1 : 0, at, bytesOf(account)];
  const params = [id, ...told, reason ?? null, occasion, ...scope, userId];
  const ids = padded(credentials.map((credential) => credential.id));
  const ofUser = [id, ...scope, userId];
  return [
    { sql: KEEP_DELETION, params },
    ...(ids.length > 0 ? [{ sql: keepKeys(ids), params: [id, ...scope, ...ids] }] : []),
    ...(whole ? [KEEP_HANDLES, KEEP_NAMES].map((sql) => ({ sql, params: ofUser })) : []),
  ];
}

/**
 * The steps before the deletion of a user that end earlier deletions of users of this name: they cannot be
 * taken back, since this user has had the name after them. A deletion for good ends those of the user's own
 * keys too.
 */
export function endingSteps(
  { id, username, relyingParty }: FoundUser,
  { forGood }: { readonly forGood: boolean },
): Step[] {
  const scope = scopeParams(relyingParty);
  return [
    { sql: END_DELETIONS_OF_NAME, params: [...scope, ...nameParams(relyingParty, username)] },
    ...(forGood ? [{ sql: END_DELETIONS_OF_USER, params: [...scope, id] }] : []),
  ];
}

/** Parameters of statements that ask by name: folded name, name, 1 where case is ignored. */
export const nameParams = (rp: RelyingParty, name: string): readonly [Buffer, Buffer, number] => [
  bytesOf(foldedName(name)),
  bytesOf(name),
  ignoresCase(rp) ? 1 : 0,
];
