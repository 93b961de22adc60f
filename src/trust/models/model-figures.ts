import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { BEGINNING } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { keyStateOf } from '../../users/credentials/key-state.js';
import type { ModelKeys } from '../../users/list/model-keys.js';
import type { WalkStep } from '../../users/list/walk.js';
import type { FoundUser } from '../../users/user-rows.js';
import { aaguidBytes } from '../../webauthn/aaguid.js';
import type { ModelFigures } from './model.answer.js';

const EMPTY = { open: 0, users: 0, alone: 0, withoutKey: 0 };
const USERS_PER_STATEMENT = 200;
/** Maximum number of keys to examine, so that a page need not wait longer. */
const MAX_KEYS = 10_000;

/** Counts the keys of a model at relying parties, and their users. */
export async function modelFigures(
  modelKeys: ModelKeys,
  rps: readonly RelyingParty[],
  aaguid: string,
): Promise<ModelFigures> {
  const model = aaguidBytes(aaguid);
  const sums = { ...EMPTY };
  let keys = 0;
  let examined = 0;
  for (const rp of rps) {
    const here = await modelKeys.countKeys(rp, model);
    keys += here;
    let after: Buffer | undefined = here === 0 ? undefined : BEGINNING;
    while (after && examined < MAX_KEYS) {
      const step = await modelKeys.step(rp, model, after, USERS_PER_STATEMENT);
      for (const user of step.users) add(sums, user, model);
      examined += step.examined;
      after = step.next;
      // SQLite answers synchronously: other requests run in between.
      await yieldToEventLoop();
    }
  }
  return { keys, ...sums, complete: keys <= examined };
}

/** Whether a key of the model is enabled at a relying party; `true` too if there are more keys than are examined. */
export async function hasEnabledKey(
  modelKeys: ModelKeys,
  rp: RelyingParty,
  aaguid: string,
): Promise<boolean> {
  const model = aaguidBytes(aaguid);
  let after: Buffer | undefined = BEGINNING;
  for (let examined = 0; after && examined < MAX_KEYS;) {
    const step: WalkStep = await modelKeys.step(rp, model, after, USERS_PER_STATEMENT);
    const keys = step.users.flatMap(({ credentials }) => credentials);
    if (keys.some((key) => key.enabled && key.aaguid.equals(model))) return true;
    examined += step.examined;
    after = step.next;
    // SQLite answers synchronously: other requests run in between.
    await yieldToEventLoop();
  }
  return after !== undefined;
}

function add(sums: typeof EMPTY, { credentials }: FoundUser, model: Buffer): void {
  const enabled = credentials.filter((key) => key.enabled);
  const ofModel = credentials.filter(({ aaguid }) => aaguid.equals(model));
  sums.users += 1;
  sums.open += ofModel.filter((key) => keyStateOf(key).disablingJson === null).length;
  if (enabled.every(({ aaguid }) => aaguid.equals(model))) sums.alone += 1;
  if (enabled.length === 0) sums.withoutKey += 1;
}
