import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionsWith } from '../../platform/config/load-options.js';
import { readChanges } from './server-log.js';

const hash = (seq: number) => String(seq).padStart(64, '0');
const HEAD = { seq: 5, at: 0, hash: Buffer.from(hash(5), 'hex') };
const line = (seq: number, revoked = '') =>
  JSON.stringify({ level: 30, time: seq, context: 'Audit', msg: `${seq} ${hash(seq)}${revoked}` });

describe("the server's log since a backup", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'servicefido-log-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const read = (...lines: string[]) => {
    const file = join(folder, 'server.log');
    writeFileSync(file, lines.join('\n'));
    return readChanges({ log: file, options: optionsWith({ data: folder }) }, HEAD, 0);
  };

  it('lists the revocations after the last audit row of the backup, in order', async () => {
    const { revoked, gap } = await read(
      line(7, ' webhook.remove {"tenant":"acme"}'),
      line(4, ' user.delete {"target":"before"}'),
      line(5),
      'Listening',
      JSON.stringify({ context: 'Audit', msg: 'A refusal has no audit row' }),
      line(6, ' user.delete {"target":"anna"}'),
    );
    expect(revoked).toEqual([
      '1970-01-01T00:00:00.006Z user.delete {"target":"anna"}',
      '1970-01-01T00:00:00.007Z webhook.remove {"tenant":"acme"}',
    ]);
    expect(gap).toBeUndefined();
  });

  it.each([
    ['without one of the rows', [line(5), line(6), line(8)], 'the log lacks row 7'],
    ['that begins too late', [line(7)], 'the log lacks row 6'],
    ['that ends before the backup', [line(3)], 'does not reach back to the backup'],
    ['that is empty', [], 'does not reach back to the backup'],
    [
      'of another database',
      [line(5).replace(hash(5), hash(9))],
      'does not reach back to the backup',
    ],
    ['with a line that was cut off', [line(5), line(6), line(7).slice(0, 60), line(8)], 'row 7'],
  ])('reports a log %s as incomplete', async (_, lines, gap) => {
    expect((await read(...lines)).gap).toContain(gap);
  });

  it('a log that was rotated at the last row of the backup is complete', async () => {
    expect((await read(line(6), line(7))).gap).toBeUndefined();
  });
});
