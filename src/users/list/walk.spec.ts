import { withoutTurns, type ReadTurn } from '../../platform/common/turns/read-turns.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { FoundUser } from '../user-rows.js';
import { readAlongPaths, type IndexPath, type WalkPage } from './walk.js';

const parties = ['a.example', 'b.example'].map((domain) => ({ domain }) as RelyingParty);
/** Ten users at each relying party; a statement reads three. */
const path: IndexPath = {
  start: () => Buffer.of(0),
  step: (rp, at, most) => {
    const from = at.readUInt8();
    const to = Math.min(from + Math.min(most, 3), 10);
    const users = Array.from({ length: to - from }, (_, n) => userOf(rp, from + n));
    return Promise.resolve({
      users,
      examined: users.length,
      next: to < 10 ? Buffer.of(to) : undefined,
    });
  },
};
const userOf = (relyingParty: RelyingParty, createdAt: number) =>
  ({ relyingParty, createdAt }) as FoundUser;
const numbers = ({ users }: WalkPage) => users.map(({ createdAt }) => createdAt);

describe('a walk over users', () => {
  it('a walk stops at a full page and continues after it, across relying parties', async () => {
    const first = await readAlongPaths(parties, path, () => true, {
      limit: 10,
      maxExamined: 100,
      turn: withoutTurns,
    });
    expect(numbers(first)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const span = { limit: 20, maxExamined: 100, from: first.next, turn: withoutTurns };
    const second = await readAlongPaths(parties, path, () => true, span);
    expect(second.users[0]?.relyingParty.domain).toBe('b.example');
    expect(second.users).toHaveLength(10);
    expect(second.next).toBeUndefined();
  });

  it('a walk that examined its maximum of users returns the position where it stopped', async () => {
    const last = (user: FoundUser) => user.createdAt === 9;
    const first = await readAlongPaths(parties, path, last, {
      limit: 5,
      maxExamined: 6,
      turn: withoutTurns,
    });
    expect(first).toEqual({ users: [], next: { domain: 'a.example', at: Buffer.of(6) } });
    const second = await readAlongPaths(parties, path, last, {
      limit: 5,
      maxExamined: 6,
      from: first.next,
      turn: withoutTurns,
    });
    expect(numbers(second)).toEqual([9]);
    expect(second.next).toEqual({ domain: 'b.example', at: Buffer.of(3) });
  });

  it('a walk skips the relying parties before its position', async () => {
    const from = { domain: 'b.example', at: Buffer.of(8) };
    expect(
      numbers(
        await readAlongPaths(parties, path, () => true, {
          limit: 5,
          maxExamined: 9,
          from,
          turn: withoutTurns,
        }),
      ),
    ).toEqual([8, 9]);
  });

  it('a walk takes a turn for each step', async () => {
    let turns = 0;
    const turn: ReadTurn = (step) => {
      turns += 1;
      return step();
    };
    await readAlongPaths(parties, path, () => true, { limit: 100, maxExamined: 100, turn });
    expect(turns).toBe(8);
  });
});
