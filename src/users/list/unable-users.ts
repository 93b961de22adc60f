import type { Database } from '../../platform/database/database.js';
import { BEGINNING } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { SuccessorFlag, UserSlice } from '../sign-in-state.js';
import { NTH_UNSUSPENDED, UNABLE_USERS } from '../user.statements.js';
import { readUsers } from '../users-by-name.js';
import { USERS_WITH_KEYS_PER_STATEMENT, byId, suspendedUsersPath } from './index-paths.js';
import type { IndexPath } from './walk.js';

/** A few milliseconds on SQLite. */
const USERS_PER_STATEMENT = 2_000;
const LAST_ID = Buffer.alloc(16, 0xff);
/** The first byte of a place after all suspended users. */
const OTHERS = 0xff;

/** The slice of users who are not suspended after an ID, and whether it is the last one. */
async function sliceAfter(database: Database, rp: RelyingParty, after: Buffer) {
  const range = { relyingPartyId: rp.id, after, upTo: LAST_ID };
  const statement = NTH_UNSUSPENDED[database.kind];
  const [end] = await database.query(statement, { ...range, n: USERS_PER_STATEMENT - 1 });
  const isSuccessor = rp.predecessor === null ? 0 : 1;
  const slice: UserSlice & SuccessorFlag = { ...range, upTo: end?.id ?? LAST_ID, isSuccessor };
  return { slice, isLast: end === undefined };
}

/** All users of a relying party who are not suspended, in slices. */
export async function* unsuspendedSlices(database: Database, rp: RelyingParty) {
  for (let after: Buffer = BEGINNING; ;) {
    const { slice, isLast } = await sliceAfter(database, rp, after);
    yield slice;
    if (isLast) return;
    after = slice.upTo;
  }
}

/** Lists the users who cannot sign in: the suspended ones, and then the others by ID. */
export function unableUsersPath(database: Database): IndexPath {
  const suspended = suspendedUsersPath(database);
  return {
    start: (rp) => suspended.start(rp),
    async step(rp, at, most) {
      if (at[0] !== OTHERS) {
        const step = await suspended.step(rp, at, most);
        return { ...step, next: step.next ?? Buffer.of(OTHERS) };
      }
      const { slice, isLast } = await sliceAfter(database, rp, at.subarray(1));
      const limit = Math.min(most, USERS_WITH_KEYS_PER_STATEMENT);
      const rows = await database.query(UNABLE_USERS[database.kind], { ...slice, limit });
      const ids = rows.map(({ id }) => id);
      const users = byId(await readUsers(database, rp, ids));
      const full = ids.length === limit ? ids.at(-1) : undefined;
      const last = full ?? (isLast ? undefined : slice.upTo);
      const next = last && Buffer.concat([Buffer.of(OTHERS), last]);
      // The rest of the slice was read from indexes alone.
      return { users, examined: ids.length, next };
    },
  };
}
