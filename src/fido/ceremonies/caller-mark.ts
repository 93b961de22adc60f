import { createHmac, hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { addressGroup } from '../../common/address-group.js';

const MARK_LENGTH = 6;
const MAX_KNOWN = 1000;

/**
 * Makes the mark that ends a session's name: it tells, as far as addresses do, which caller got the session.
 * So the store can be fair among callers without knowing who calls.
 *
 * @param secret shared by all instances, so that they give a caller the same mark; without it, nobody can
 *   find an address with another caller's mark, or tell an address by its mark
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

/** The mark of the caller whose name has this digest. */
export const markOf = (digest: string): string => digest.slice(0, MARK_LENGTH);

export const callerMarkOf = (session: string): string => session.slice(-MARK_LENGTH);
