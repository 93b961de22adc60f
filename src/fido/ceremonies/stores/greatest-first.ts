/** A member of the heap; its owner calls `changed` after changing `bytes`. */
export interface Sized {
  bytes: number;
  /** Of two with as many bytes, the one with the lower number comes first. */
  readonly order: number;
  /** Index in the heap, which only `GreatestFirst` sets. */
  place: number;
}

/**
 * Finds the greatest of many whose sizes change all the time: a binary heap, in which a change costs
 * the logarithm of their number.
 */
export class GreatestFirst<T extends Sized> {
  private readonly members: T[] = [];

  get greatest(): T | undefined {
    return this.members[0];
  }

  add(member: T): void {
    this.rise(member, this.members.length);
  }

  remove(member: T): void {
    const last = this.members.pop();
    if (last === undefined || last === member) return;
    this.set(last, member.place);
    this.changed(last);
  }

  /** To be called after a member's size has changed. */
  changed(member: T): void {
    this.rise(member, member.place);
    this.sink(member);
  }

  private rise(member: T, from: number): void {
    let place = from;
    while (place > 0) {
      const above = this.members[(place - 1) >> 1];
      if (!above || !isBefore(member, above)) break;
      this.set(above, place);
      place = (place - 1) >> 1;
    }
    this.set(member, place);
  }

  private sink(member: T): void {
    for (;;) {
      const [left, right] = [2 * member.place + 1, 2 * member.place + 2];
      const one = this.members[left];
      const other = this.members[right];
      const greater = other && one && isBefore(other, one) ? other : one;
      if (!greater || !isBefore(greater, member)) return;
      const { place } = greater;
      this.set(greater, member.place);
      this.set(member, place);
    }
  }

  private set(member: T, place: number): void {
    this.members[place] = member;
    member.place = place;
  }
}

const isBefore = (one: Sized, other: Sized): boolean =>
  one.bytes === other.bytes ? one.order < other.order : one.bytes > other.bytes;
