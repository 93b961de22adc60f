import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionsWith } from '../../platform/config/load-options.js';
import { readChanges } from './server-log.js';

const hash = (seq: number) => String(seq).padStart(64, '0');
const HEAD = { seq: 5, at: 0, hash: Buffer.from(hash(5), 'hex') };
const line = (seq: number, revoked = '') =>
  JSON.stringify({ level: 30, time: seq, context: 'Audit', msg: `${seq} ${hash(seq)}${revoked}` });
/** A line with the number of the backup's last row, and the hash of another one. */
const ofAnother = line(5).replace(hash(5), hash(9));

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
    ['that ends before the backup', [line(3)], 'has no row since the backup'],
    ['that is empty', [], 'has no row since the backup'],
    ['of another database', [ofAnother, line(6), line(7)], 'row 5 of the log is not that'],
    ['with a line that was cut off', [line(5), line(6), line(7).slice(0, 60), line(8)], 'row 7'],
  ])('reports a log %s as incomplete', async (_, lines, gap) => {
    expect((await read(...lines)).gap).toContain(gap);
  });

  describe('beside the log of the commands', () => {
    const COMMANDS = { database: 'sqlite', epoch: 0 };
    const ofCommand = (seq: number) => {
      const text = line(seq, ` application-key.revoke {"target":"key ${seq}"}`);
      return JSON.stringify({ ...(JSON.parse(text) as object), ...COMMANDS });
    };
    const commands = (...lines: string[]) =>
      writeFileSync(join(folder, 'commands.log'), lines.join('\n'));
    afterEach(() => commands());

    it.each([
      ['is empty', [], 'has no row since the backup'],
      ['has only rows before the backup', [line(3), line(4)], 'has no row since the backup'],
      ['is that of commands', [ofCommand(5), ofCommand(6)], 'has no row since the backup'],
      ['is of another database', [ofAnother], 'row 5 of the log is not that'],
    ])('a log that %s proves nothing, though it lacks no row', async (_, lines, expected) => {
      commands(ofCommand(5), ofCommand(6));
      const { revoked, gap } = await read(...lines);
      expect(revoked).toEqual([expect.stringContaining('key 6')]);
      expect(gap).toContain(expected);
    });

    it.each([
      ['the last row of the backup', [line(5)]],
      ['a row since the backup', [line(4), line(7)]],
      ['the rows of another restore, too', [ofAnother, line(5), line(7)]],
    ])('a log with %s is complete', async (_, lines) => {
      commands(ofCommand(5), ofCommand(6));
      expect((await read(...lines)).gap).toBeUndefined();
    });
  });

  it('a log that was rotated at the last row of the backup is complete', async () => {
    expect((await read(line(6), line(7))).gap).toBeUndefined();
  });
});
