import { LRUCache } from 'lru-cache';

/**
 * A map that drops the least recently used entries when it has more than its limit. It grows as it fills: `max` of
 * lru-cache would allocate the memory for all of them at each start.
 */
export class BoundedMap<T extends object | number> extends LRUCache<string, T> {
  constructor(entries: number) {
    super({ maxSize: entries, sizeCalculation: () => 1 });
  }
}
