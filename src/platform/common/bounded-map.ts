import { LRUCache } from 'lru-cache';

/**
 * A map that drops what was used longest ago when it has more entries than its limit. It grows as it fills:
 * `max` of lru-cache would take the memory for all of them at once, at each start.
 */
export class BoundedMap<T extends object | number> extends LRUCache<string, T> {
  constructor(entries: number) {
    super({ maxSize: entries, sizeCalculation: () => 1 });
  }
}
