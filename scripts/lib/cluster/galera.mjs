import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { must } from '../must.mjs';
import { inProject } from '../project.mjs';
import { makeSystemTables } from '../services/mariadb.mjs';
import { freePort } from '../services/programs.mjs';
import { Program } from '../program.mjs';

/** Short timeouts for detecting a dead node, so that a test need not wait for Galera's defaults. */
const DETECTION =
  'evs.suspect_timeout=PT2S;evs.inactive_timeout=PT5S;' +
  'evs.keepalive_period=PT0.5S;evs.inactive_check_period=PT0.5S';

/** As root, rsync's daemon switches to user nobody and the state transfer fails: run as the mysql user. */
const USER = process.getuid?.() === 0 ? 'mysql' : undefined;

/** One node of a Galera cluster on the loopback, with the settings of docker/cluster/galera.cnf. */
export class GaleraNode extends Program {
  #check;
  #folder;
  #galera;
  #members = '';
  #checkUrl;

  /** @param secrets folder of docker/cluster/make-secrets.sh */
  static async create({ index, folder, programs, secrets }) {
    const name = `node${index}`;
    const place = join(folder, name);
    for (const part of ['data', 'tmp']) mkdirSync(join(place, part), { recursive: true });
    chmodSync(folder, 0o755);
    const node = new GaleraNode(programs.mariadbd, join(place, 'output.log'));
    node.name = name;
    node.#folder = place;
    node.#galera = programs.galera;
    for (const kind of ['port', 'checkPort', 'groupPort', 'istPort', 'sstPort']) {
      node[kind] = await freePort();
    }
    const url = new URL(readFileSync(join(secrets, 'check-url'), 'utf8').trim());
    url.port = String(node.port);
    node.#checkUrl = join(secrets, `check-url-${index}`);
    writeFileSync(node.#checkUrl, url.href, { mode: 0o600 });
    node.#check = new Program(process.execPath, join(place, 'check.log'));
    return node;
  }

  get groupAddress() {
    return `127.0.0.1:${this.groupPort}`;
  }

  get address() {
    return `127.0.0.1:${this.port}`;
  }

  /** Creates the system tables; other nodes receive those of the first one by state transfer. */
  install() {
    own(this.#folder);
    const user = USER ? [`--user=${USER}`] : [];
    makeSystemTables(this.program, ['--no-defaults', ...this.#folders(), ...user]);
  }

  /** @param members all nodes; @param first whether this node creates the cluster */
  async start(members, { first = false } = {}) {
    this.#members = members.map(({ groupAddress }) => groupAddress).join(',');
    own(this.#folder);
    const position = first ? ['--wsrep-new-cluster'] : this.#recoveredPosition();
    super.start([...this.#settings(), ...position]);
    await this.synced();
    if (!this.#check.running) {
      const script = inProject('docker/cluster/clustercheck.mjs');
      this.#check.start([script, String(this.checkPort)], {
        env: { ...process.env, DATABASE_URL_FILE: this.#checkUrl },
      });
    }
  }

  synced() {
    const state = () => this.sql("SHOW STATUS LIKE 'wsrep_local_state_comment'");
    const isSynced = async () => (await state())[0]?.Value === 'Synced';
    return this.until(isSynced, `${this.name} to be synced`, 120_000);
  }

  /** Galera's own switch: the node leaves the group as if its cable were cut. */
  async isolate(yes) {
    await this.sql(`SET GLOBAL wsrep_provider_options = 'gmcast.isolate=${yes ? 1 : 0}'`);
  }

  async stop() {
    await this.#check.end();
    await this.end();
  }

  async sql(text) {
    const socketPath = join(this.#folder, 'sock');
    const connection = await createConnection({ socketPath, user: 'root', connectTimeout: 2000 });
    try {
      const [rows] = await connection.query({ sql: text, timeout: 10_000 });
      return rows;
    } finally {
      connection.destroy();
    }
  }

  /** Uses a separate folder for temporary tables: a server deletes all that it finds in a shared one when it starts. */
  #folders() {
    return [`--datadir=${join(this.#folder, 'data')}`, `--tmpdir=${join(this.#folder, 'tmp')}`];
  }

  #settings() {
    const { groupPort, istPort, sstPort } = this;
    const group = `base_port=${groupPort};gmcast.listen_addr=tcp://127.0.0.1:${groupPort}`;
    return [
      `--defaults-file=${inProject('docker/cluster/galera.cnf')}`,
      ...this.#folders(),
      `--socket=${join(this.#folder, 'sock')}`,
      `--pid-file=${join(this.#folder, 'pid')}`,
      `--port=${this.port}`,
      '--bind-address=127.0.0.1',
      '--skip-name-resolve',
      ...(USER ? [`--user=${USER}`] : []),
      '--wsrep-on=ON',
      `--wsrep-provider=${this.#galera}`,
      `--wsrep-cluster-address=gcomm://${this.#members}`,
      `--wsrep-node-name=${this.name}`,
      `--wsrep-node-address=${this.groupAddress}`,
      `--wsrep-sst-receive-address=127.0.0.1:${sstPort}`,
      `--wsrep-provider-options=${group};ist.recv_addr=127.0.0.1:${istPort};${DETECTION}`,
    ];
  }

  /** After a kill only InnoDB contains the position; with it the node needs no full copy. */
  #recoveredPosition() {
    if (!existsSync(join(this.#folder, 'data/ibdata1'))) return [];
    const log = join(this.#folder, 'recover.log');
    spawnSync(this.program, [...this.#settings(), '--wsrep-recover', `--log-error=${log}`]);
    const found = [...readFileSync(log, 'utf8').matchAll(/Recovered position: *(\S+)/g)].at(-1);
    return found ? [`--wsrep-start-position=${found[1]}`] : [];
  }
}

function own(folder) {
  if (USER) must('chown', '-R', USER, folder);
}
