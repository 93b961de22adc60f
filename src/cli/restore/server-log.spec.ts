import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionsWith } from '../../platform/config/load-options.js';
import { readChanges } from './server-log.js';

const hash = (seq: number) => String(seq).padStart(64, '0');
const hashOf = (seq: number) => Promise.resolve(Buffer.from(hash(seq), 'hex'));
const line = (seq: number, revoked = '') =>
  JSON.stringify({ level: 30, time: seq, context: 'Audit', msg: `${seq} ${hash(seq)}${revoked}` });
/** The line of another trail: a row of the same number has another hash. */
const ofAnother = (seq: number) => line(seq).replace(hash(seq), hash(seq + 100));
const at = (time: number, text: string) =>
  JSON.stringify({ ...(JSON.parse(text) as object), time });
const notRow = (time: number, level = 30) => JSON.stringify({ level, time, msg: 'Listening' });
const NO_ROW = 'has no row of the audit trail';
const ENDS = 'has nothing of level `info` since the last row of the backup';

describe("the server's log since a backup", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'servicefido-log-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const read = async (...lines: string[]) => {
    const log = join(folder, 'server.log');
    writeFileSync(log, lines.join('\n'));
    const head = { seq: 5, at: 5, hash: await hashOf(5) };
    return readChanges({ log, options: optionsWith({ data: folder }) }, { head, epoch: 0, hashOf });
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
    ['that ends before the backup', [notRow(2), line(3)], ENDS],
    ['that is empty', [], NO_ROW],
    ['of another database', [ofAnother(5), line(6), line(7)], 'row 5 of the log is not that'],
    ['with another restore', [line(5), line(6), at(7, ofAnother(4))], 'row 4 of the log is not'],
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
      ['is empty', [], NO_ROW],
      ['ends before the backup', [line(3), line(4)], ENDS],
      ['has only warnings since the backup', [line(3), notRow(6, 40)], ENDS],
      ['has only warnings', [notRow(3, 40), notRow(6, 40)], NO_ROW],
      ['has no row', [notRow(3), notRow(6)], NO_ROW],
      ['is that of commands', [ofCommand(5), ofCommand(6)], NO_ROW],
      ['ends before the rows of commands', [line(3), ofCommand(5), ofCommand(6)], ENDS],
      ['is of another database', [ofAnother(5)], 'row 5 of the log is not that'],
      ['is of a smaller one', [ofAnother(3), notRow(6)], 'row 3 of the log is not that'],
      ['is of a later restore', [line(3), at(6, ofAnother(4))], 'row 4 of the log is not that'],
    ])('a log that %s proves nothing, though it lacks no row', async (_, lines, expected) => {
      commands(ofCommand(5), ofCommand(6));
      const { revoked, gap } = await read(...lines);
      expect(revoked).toEqual([expect.stringContaining('key 6')]);
      expect(gap).toContain(expected);
    });

    it.each([
      ['the last row of the backup', [line(5)]],
      ['a row since the backup', [line(4), line(7)]],
      ['an earlier row and a later line', [line(3), notRow(6)]],
      ['the rows of another restore, too', [ofAnother(5), line(5), line(7)]],
      ['rows that an earlier restore lost', [line(3), ofAnother(4), at(4, line(8)), notRow(6)]],
    ])('a log with %s is complete', async (_, lines) => {
      commands(ofCommand(5), ofCommand(6));
      expect((await read(...lines)).gap).toBeUndefined();
    });
  });

  it('a log that was rotated at the last row of the backup is complete', async () => {
    expect((await read(line(6), line(7))).gap).toBeUndefined();
  });
});
