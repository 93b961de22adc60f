import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../scripts/lib/services/programs.mjs';
import { projectPath } from '../../src/platform/project.js';
import { loseInPowerCut } from '../support/crash/disk.js';
import { Journal, UsersUnderFire } from '../support/crash/users-under-fire.js';
import { halfDoneIn, lostFrom } from '../support/crash/reconcile.js';
import { eventually } from '../support/eventually.js';
import { report, sized } from '../support/harness.js';
import { describeWith } from '../support/needs.js';
import { readRows } from '../support/read-rows.js';
import { ServerProcess } from '../support/server-process.js';

const CLIENTS = 6;

describeWith('C compiler')('power cuts under load on SQLite', () => {
  const cuts = sized(2);
  let folder: string;
  let library: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'servicefido-power-'));
    library = join(folder, 'journal.so');
    const source = projectPath('scripts/lib/power-loss/journal.c');
    const compiler = findProgram('cc', 'gcc', 'clang') ?? 'cc';
    execFileSync(compiler, ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl']);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** Starts the server on the file, lets users work, cuts the power. Returns the writes and syncs to the disk. */
  async function workUntilCut(file: string, round: number, users: Journal): Promise<string> {
    const journal = join(folder, `writes-${round}`);
    const server = new ServerProcess(['--db', `sqlite:${file}`, '--log-level', 'warn'], {
      LD_PRELOAD: library,
      POWER_LOSS_DATABASE: file,
      POWER_LOSS_JOURNAL: journal,
    });
    try {
      await server.start();
      const load = Array.from({ length: CLIENTS }, (_, n) =>
        new UsersUnderFire(server.url, `cut-${round}-${n}`, users).live(),
      );
      const enough = users.acknowledged + 60 + Math.floor(Math.random() * 200);
      await eventually(() => expect(users.acknowledged).toBeGreaterThanOrEqual(enough));
      await server.end('SIGKILL');
      await Promise.all(load);
    } finally {
      await server.remove();
    }
    return journal;
  }

  it('a power cut loses nothing acknowledged and leaves nothing half done', async () => {
    const file = join(folder, 'live.sqlite');
    const url = `sqlite:${file}`;
    const first = new ServerProcess(['--db', url, '--log-level', 'warn']);
    await first.start();
    expect(await first.end('SIGTERM')).toBe(0);
    await first.remove();
    const journal = new Journal();
    let forgotten = 0;
    for (let round = 0; round < cuts; round += 1) {
      const before = join(folder, 'before');
      cpSync(file, join(before, 'live.sqlite'), { recursive: true });
      copyIfThere(`${file}-wal`, join(before, 'live.sqlite-wal'));
      const writes = await workUntilCut(file, round, journal);
      // On the files as they were, so that of this round only synced data is there.
      cpSync(before, folder, { recursive: true });
      if (!copyIfThere(join(before, 'live.sqlite-wal'), `${file}-wal`)) rmSync(`${file}-wal`);
      forgotten += await lostToForgetfulDisk(before, writes, journal);
      loseInPowerCut(file, writes);
      rmSync(before, { recursive: true });
      expect(await readRows(url, 'PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
      expect(await readRows(url, 'PRAGMA foreign_key_check')).toEqual([]);
      expect(await lostFrom(url, journal)).toEqual([]);
      expect(await halfDoneIn(url)).toEqual([]);
    }
    // Otherwise the harness could not detect a loss.
    expect(forgotten).toBeGreaterThan(0);
    report({ cuts, acknowledged: journal.acknowledged, lost: 0, forgotten });
  });
});

/** The loss if the disk syncs nothing, which is the risk of `PRAGMA synchronous = OFF`. */
async function lostToForgetfulDisk(before: string, writes: string, journal: Journal) {
  const file = join(before, 'live.sqlite');
  loseInPowerCut(file, writes, false);
  return (await lostFrom(`sqlite:${file}`, journal)).length;
}

function copyIfThere(from: string, to: string): boolean {
  try {
    copyFileSync(from, to);
    return true;
  } catch {
    return false;
  }
}
