/** Items that wait in groups. The groups take turns: one with many items delays no other. */
export class RoundRobin<T> {
  /** By group, in the order of turns; contains only groups with waiting items. */
  private readonly groups = new Map<string, T[]>();

  /** The waiting items of a group, the oldest first. */
  of(group: string): readonly T[] {
    return this.groups.get(group) ?? [];
  }

  add(group: string, item: T): void {
    const waiting = this.groups.get(group);
    if (waiting) waiting.push(item);
    else this.groups.set(group, [item]);
  }

  /** Takes the first item of the group whose turn it is; that group then goes to the end of the line. */
  take(): T | undefined {
    for (const [group, waiting] of this.groups) {
      const first = waiting.shift();
      this.groups.delete(group);
      if (waiting.length > 0) this.groups.set(group, waiting);
      return first;
    }
    return undefined;
  }
}
