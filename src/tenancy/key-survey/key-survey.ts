import type { Database } from '../../platform/database/database.js';
import { BEGINNING, mapKey } from '../../platform/database/row-ids.js';
import type { RelyingPartyEntity } from '../relying-party.entity.js';
import { KEYS_BY_CHANCE, type DrawnKeyRow, type DrawnRow } from '../tenancy.statements.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { isGuarded, readPolicy } from '../policy/policy.js';
import type { RelyingParty } from '../relying-party.js';
import { shapesOf, type KeyShape, type KeyShapes } from './key-shapes.js';

const KEYS_PER_STATEMENT = 500;
/** The sample size: enough to know the shares of shapes to within half a per cent. */
const DRAWN = 20_000;

const pretends = ({ policy }: Pick<RelyingPartyEntity, 'policy'>) =>
  policy.unknownUsers === 'pretend';

/**
 * Returns the shapes for made-up keys after a change: those of the users' keys when the relying party starts to
 * pretend. They do not change while it pretends, since made-up keys must be the same tomorrow.
 */
export async function keyShapesAfter(
  database: Database,
  before: Pick<RelyingPartyEntity, 'policy' | 'keyShapes'> | undefined,
  after: Pick<RelyingPartyEntity, 'id' | 'policy'>,
): Promise<KeyShapes[] | null> {
  if (!pretends(after)) return null;
  if (before?.keyShapes && pretends(before)) return before.keyShapes;
  return shapesOf(await drawUsers(database, after.id));
}

/**
 * Draws a random sample of users: the owners of the keys with the lowest hashes. A user with several keys counts
 * only if the oldest of them is drawn; otherwise such users would be overrepresented.
 */
async function drawUsers(database: Database, relyingPartyId: Buffer): Promise<KeyShape[][]> {
  const users: KeyShape[][] = [];
  let after: Buffer = BEGINNING;
  for (let keys = 0; keys < DRAWN; keys += KEYS_PER_STATEMENT) {
    const rows = await database.query(KEYS_BY_CHANCE, {
      relyingPartyId,
      after,
      limit: KEYS_PER_STATEMENT,
    });
    users.push(...usersOf(rows));
    const last = rows.at(-1);
    if (!last) break;
    after = last.hash;
  }
  return users;
}

const hasKey = (row: DrawnRow): row is DrawnKeyRow => row.id !== null;

/** The rows of a drawn key are all keys of its user, oldest first. */
function usersOf(rows: readonly DrawnRow[]): KeyShape[][] {
  const byDrawnKey = Map.groupBy(rows.filter(hasKey), (row) => mapKey(row.drawn));
  const ofOldestKeys = [...byDrawnKey.values()].filter(([oldest]) =>
    oldest?.id.equals(oldest.drawn),
  );
  return ofOldestKeys.map((keys) =>
    keys.map(({ idBytes, transports }) => ({ idBytes, transports })),
  );
}

const mayNotPretend = (reason: 'policy.pretendMoving' | 'policy.pretendOpen') =>
  new ApiError('E0045R', reason, {}, { field: 'unknownUsers' });

/**
 * Refuses a change after which a relying party would pretend that every user has keys while other calls reveal
 * which users really do.
 *
 * @param open all open relying parties, read from the database
 * @throws ApiError E0045R
 */
export function ensureMayPretend(
  planned: Pick<RelyingPartyEntity, 'domain' | 'predecessor' | 'policy'>,
  open: readonly RelyingParty[],
): void {
  const { domain } = planned;
  const policy = readPolicy(planned.policy);
  const predecessor = open.find((rp) => rp.domain === planned.predecessor);
  if (predecessor?.policy.unknownUsers === 'pretend') throw mayNotPretend('policy.pretendMoving');
  if (policy.unknownUsers !== 'pretend') return;
  if (!isGuarded(policy)) throw mayNotPretend('policy.pretendOpen');
  if (planned.predecessor !== null || open.some((rp) => rp.predecessor === domain)) {
    throw mayNotPretend('policy.pretendMoving');
  }
}
