import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Program } from '../program.mjs';
import { MARIADB } from './mariadb.mjs';
import { findProgram } from './programs.mjs';
import { REDIS } from './redis.mjs';

const PATIENCE_MS = 60_000;
/** What has much data may have to recover it first. */
const LONG_PATIENCE_MS = 900_000;

/**
 * A database server or session store of one's own, to be frozen, killed and started again, with its
 * data and port kept: what no shared one may suffer.
 */
export class PrivateInstance extends Program {
  /** @param kept whether its files stay behind */
  constructor({ program, args, folder, probe, url, kept }) {
    super(program, join(folder, 'output.log'));
    Object.assign(this, { args, folder, probe, url, kept });
    this.forget = () => kept || rmSync(folder, { recursive: true, force: true });
    process.once('exit', this.forget);
  }

  /**
   * @param more further arguments of the server, which beat ours
   * @param folder where its data lie and stay; else they go with it
   */
  static mariadb = (more = [], folder = undefined) => prepared(MARIADB, more, folder);
  static redis = (more = []) => prepared(REDIS, more);

  /** Starts, or starts again; resolves when it answers. */
  async start() {
    // Ctrl-C is the script's to answer: it lets the server close its files.
    super.start(this.args, { detached: this.kept });
    const patience = this.kept ? LONG_PATIENCE_MS : PATIENCE_MS;
    await this.until(this.probe, this.program, patience);
  }

  /** It keeps its connections, takes new ones, and answers none. */
  freeze() {
    this.signal('SIGSTOP');
  }

  thaw() {
    this.signal('SIGCONT');
  }

  /** @param signal SIGTERM lets it close its files; SIGKILL is the crash */
  end(signal = 'SIGKILL') {
    return super.end(signal);
  }

  /** Ends it, however it is, and removes its files unless they are to stay. */
  async remove() {
    await this.end(this.kept ? 'SIGTERM' : 'SIGKILL');
    process.off('exit', this.forget);
    this.forget();
  }
}

async function prepared(kind, more, kept) {
  const program = findProgram(...kind.programs);
  if (!program) throw new Error(`No ${kind.programs[0]} is installed.`);
  const { args, ...rest } = await kind.prepare(program, kept);
  const isKept = kept !== undefined;
  return new PrivateInstance({ program, ...rest, args: [...args, ...more], kept: isKept });
}
