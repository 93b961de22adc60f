import { hash, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { addressGroup } from '../../common/address-group.js';

const MARK_LENGTH = 6;
/** Known to this process only, so that nobody can aim at another's mark or tell an address by it. */
const pepper = randomBytes(16).toString('base64url');

const known = new LRUCache<string, string>({ max: 1000 });

/**
 * The end of a session's name: which caller it was given to, as far as addresses tell. So the store
 * can be fair among callers without being told who calls.
 */
export function callerMark(address = ''): string {
  let mark = known.get(address);
  if (mark === undefined) {
    mark = hash('sha256', pepper + addressGroup(address), 'base64url').slice(0, MARK_LENGTH);
    known.set(address, mark);
  }
  return mark;
}

export const callerMarkOf = (session: string): string => session.slice(-MARK_LENGTH);
