import { Injectable } from '@nestjs/common';
import type { Batch } from '../../batches/batch.entity.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { LinkedUsers, type LinkedUser } from '../../users/moves/linked-users.js';
import { userIdAt } from '../../users/moves/move-steps.js';
import type { FoundUser } from '../../users/user-rows.js';
import { UploadLines, type ReadLine } from './upload-lines.js';
import { UploadStore } from './upload-store.js';
import type { Upload } from './upload.entity.js';

/** Lines per slice. */
const LINES = 200;
const LINE_BYTES = 4;

/** A line of a list, with its users: two for a user at both domains of a move. */
export interface ListedLine {
  readonly line: ReadLine;
  readonly rp: RelyingParty;
  readonly users: readonly FoundUser[];
}

interface ListSlice {
  readonly list: Upload;
  readonly lines: readonly ReadLine[];
  readonly rows: readonly ListedLine[];
  /** Behind the last line; `undefined` if no others follow. */
  readonly next: Buffer | undefined;
}

/** Reads the lines of a list for batches, which change the users of each line. */
@Injectable()
export class ListWalk {
  constructor(
    private readonly store: UploadStore,
    private readonly lines: UploadLines,
    private readonly linked: LinkedUsers,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  /** The lines after the batch's position; `undefined` if the list or its relying party no longer exists. */
  async slice({ relyingPartyId, target, position }: Batch): Promise<ListSlice | undefined> {
    const rp = this.relyingParties.current.all.find(({ id }) => id.equals(relyingPartyId));
    const list = await this.store.read(target);
    if (!rp || !list) return undefined;
    const after = position.length > 0 ? position.readUInt32BE() : 0;
    const lines = await this.lines.after(list, after, LINES);
    // The user of a deleted line may have been restored since.
    const open = lines.filter(({ outcome }) => outcome !== 'deleted');
    const found = Map.groupBy(await listedUsers(this.linked, rp, open), ({ name }) =>
      nameKey(rp, name),
    );
    const rows = lines.map((line) => {
      const named = line.username === undefined ? [] : found.get(nameKey(rp, line.username));
      return { line, rp, users: (named ?? []).map(({ user }) => user) };
    });
    const next = lines.length < LINES ? undefined : Buffer.alloc(LINE_BYTES);
    next?.writeUInt32BE(lines.at(-1)?.line ?? 0);
    return { list, lines, rows, next };
  }

  /**
   * Changes the users of a line. The user at the predecessor comes first: if the server ends there, the line still leads
   * to the rest. The user at the successor is read again afterwards, because until then the keys of the predecessor can
   * register another there.
   *
   * @param change also told whether the user is the last of the line
   * @returns the results of changes that were necessary
   */
  async changeUsers<T>(
    { line, rp, users }: ListedLine,
    change: (user: FoundUser, isLast: boolean) => Promise<T | undefined>,
  ): Promise<T[]> {
    const isOwn = ({ relyingParty }: FoundUser) => relyingParty.id.equals(rp.id);
    const predecessorUsers = users.filter((user) => !isOwn(user));
    let own = users.filter(isOwn);
    const results: (T | undefined)[] = [];
    for (const user of predecessorUsers) results.push(await change(user, own.length === 0));
    if (predecessorUsers.length > 0) {
      const found = await listedUsers(this.linked, rp, [line]);
      own = found.map(({ user }) => user).filter(isOwn);
    }
    for (const user of own) results.push(await change(user, true));
    return results.filter((one) => one !== undefined);
  }
}

/**
 * Finds the users of lines, except users who have the name of a line but are not the user whom the line meant when
 * it was stored: the name has been reassigned since.
 */
export async function listedUsers(
  linked: LinkedUsers,
  rp: RelyingParty,
  lines: readonly ReadLine[],
): Promise<LinkedUser[]> {
  const named = lines.filter((line) => line.username !== undefined);
  const meant = new Map(named.map(({ username, userId }) => [nameKey(rp, username), userId]));
  const found = await linked.find(
    rp,
    named.map(({ username }) => username),
  );
  const ofName = Map.groupBy(found, ({ name }) => nameKey(rp, name));
  return [...ofName].flatMap(([name, users]) => {
    const id = meant.get(name);
    if (!id) return users;
    // A user of the predecessor may have moved to the successor since.
    const ids = [id, userIdAt(rp, id)];
    return users.some(({ user }) => ids.some((one) => one.equals(user.id))) ? users : [];
  });
}
