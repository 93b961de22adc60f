import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../services/programs.mjs';
import { Program } from '../program.mjs';

/** The name of the primary for the Sentinels; `sentinel-passwords.conf` contains it too. */
const NAME = 'sessions';
/** The number of Sentinels that must agree; with three, one may be unavailable. */
const QUORUM = 2;

/** A persistent Redis, which is a primary or a replica as Sentinel decides, or a Sentinel. */
export class RedisNode extends Program {
  /** @param settings files of the cluster: `folder`, `programs`, and `secrets` of docker/cluster/make-secrets.sh */
  static async create(name, { folder, programs, secrets }) {
    const place = join(folder, name);
    mkdirSync(place);
    const node = new RedisNode(programs.redis, join(place, 'output.log'));
    return Object.assign(node, { place, secrets, port: await freePort() });
  }

  get address() {
    return `127.0.0.1:${this.port}`;
  }

  async start(primary) {
    const follow = primary ? ['--replicaof', '127.0.0.1', String(primary.port)] : [];
    const place = ['--port', String(this.port), '--bind', '127.0.0.1', '--dir', this.place];
    // A fresh copy, because Sentinel may have rewritten the previous one.
    const file = join(this.place, 'redis.conf');
    copyFileSync(join(this.secrets, 'redis.conf'), file);
    super.start([file, ...place, '--appendonly', 'yes', '--save', '', ...follow]);
    await this.until(() => this.said.includes('Ready to accept'), 'Redis');
  }

  /** Watches a primary as a Sentinel. */
  watch(primary) {
    const file = join(this.place, 'sentinel.conf');
    const settings = `port ${this.port}
bind 127.0.0.1
dir ${this.place}
sentinel monitor ${NAME} 127.0.0.1 ${primary.port} ${QUORUM}
sentinel down-after-milliseconds ${NAME} 1000
sentinel failover-timeout ${NAME} 5000
`;
    const passwords = readFileSync(join(this.secrets, 'sentinel-passwords.conf'), 'utf8');
    writeFileSync(file, settings + passwords);
    super.start([file, '--sentinel']);
  }
}
