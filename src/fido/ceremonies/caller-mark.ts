import { createHmac, hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { addressGroup } from '../../common/address-group.js';

const MARK_LENGTH = 6;
const MAX_KNOWN = 1000;

/**
 * The end of a session's name: which caller it was given to, as far as addresses tell. So the store
 * can be fair among callers without being told who calls.
 *
 * @param secret shared by all instances, which so give a caller one mark; nobody who does not know it
 *   can aim at another's mark or tell an address by it
 */
export function callerMarks(secret: string): (address: string | undefined) => string {
  const pepper = createHmac('sha256', secret).update('caller marks').digest('base64url');
  const known = new LRUCache<string, string>({ max: MAX_KNOWN });
  return (address = '') => {
    let mark = known.get(address);
    if (mark === undefined) {
      mark = markOf(hash('sha256', pepper + addressGroup(address), 'base64url'));
      known.set(address, mark);
    }
    return mark;
  };
}

/** A caller's mark, of a digest that names the caller. */
export const markOf = (digest: string): string => digest.slice(0, MARK_LENGTH);

export const callerMarkOf = (session: string): string => session.slice(-MARK_LENGTH);
