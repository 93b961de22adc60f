import type { RedisLink } from '../../../platform/database/redis-link.js';
import type { SessionBounds } from '../pending-sessions.js';
import type { CeremonyStore } from './ceremony-store.js';
import { MemoryCeremonyStore } from './memory-ceremony-store.js';
import { RedisCeremonyStore } from './redis-ceremony-store.js';

/** Opens the store of this name: in Redis if there is one, else in the memory of this instance. */
export const openCeremonyStore = (
  name: string,
  bounds: SessionBounds,
  link: RedisLink | null,
): CeremonyStore =>
  link ? new RedisCeremonyStore(link, { name, ...bounds }) : new MemoryCeremonyStore(bounds);
