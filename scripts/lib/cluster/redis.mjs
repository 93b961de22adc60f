import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../services/programs.mjs';
import { Program } from '../program.mjs';

/** The name of the primary for the Sentinels; `sentinel-passwords.conf` contains it too. */
const NAME = 'sessions';
/** The number of Sentinels that must agree; with three, one may be unavailable. */
const QUORUM = 2;

/** A persistent Redis, which is a primary or a replica as Sentinel decides. */
export class RedisNode extends Program {
  #passwords;

  /** @param secrets folder of docker/cluster/make-secrets.sh */
  static async create({ index, folder, programs, secrets }) {
    const place = join(folder, `redis${index}`);
    mkdirSync(place, { recursive: true });
    const node = new RedisNode(programs.redis, join(place, 'output.log'));
    node.#passwords = join(secrets, 'redis.conf');
    return Object.assign(node, { folder: place, port: await freePort() });
  }

  get address() {
    return `127.0.0.1:${this.port}`;
  }

  async start(primary) {
    const follow = primary ? ['--replicaof', '127.0.0.1', String(primary.port)] : [];
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.folder];
    const kept = ['--appendonly', 'yes', '--save', ''];
    // A fresh copy, because Sentinel may have rewritten the previous one.
    const file = join(this.folder, 'redis.conf');
    copyFileSync(this.#passwords, file);
    super.start([file, ...place, ...kept, ...follow]);
    await this.until(() => this.said.includes('Ready to accept'), 'Redis');
  }
}

/** Three Sentinels that watch a primary. */
export async function startSentinels({ primary, folder, programs, secrets }) {
  const passwords = readFileSync(join(secrets, 'sentinel-passwords.conf'), 'utf8');
  const sentinels = [];
  for (const index of [1, 2, 3]) {
    const home = join(folder, `sentinel${index}`);
    mkdirSync(home, { recursive: true });
    const file = join(home, 'sentinel.conf');
    const settings = [
      `port ${await freePort()}`,
      'bind 127.0.0.1',
      `dir ${home}`,
      `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} ${QUORUM}`,
      `sentinel down-after-milliseconds ${NAME} 1000`,
      `sentinel failover-timeout ${NAME} 5000`,
    ];
    writeFileSync(file, `${settings.join('\n')}\n${passwords}`);
    const sentinel = new Program(programs.redis, join(home, 'output.log'));
    sentinel.start([file, '--sentinel']);
    sentinels.push(sentinel);
  }
  return sentinels;
}
