import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Refusal, inProject } from '../project.mjs';
import { newFolder } from '../folder.mjs';
import { Admin } from '../load/admin.mjs';
import { must, mustIn } from '../must.mjs';
import { findProgram, freePort } from '../services/programs.mjs';
import { GaleraNode } from './galera.mjs';
import { Program } from '../program.mjs';
import { RedisNode } from './redis.mjs';

const DATABASE = 'servicefido';

/** The paths of Galera's library on Debian, on Red Hat and its derivatives, and elsewhere. */
const PROVIDERS = [
  '/usr/lib/galera/libgalera_smm.so',
  '/usr/lib64/galera-4/libgalera_smm.so',
  '/usr/local/lib/galera/libgalera_smm.so',
];
const PROGRAMS = {
  mariadbd: findProgram('mariadbd'),
  galera: PROVIDERS.find(existsSync),
  rsync: findProgram('rsync'),
  haproxy: findProgram('haproxy'),
  // The program is also that of the Sentinels.
  redis: findProgram('redis-server'),
};
const PACKAGES = 'mariadb-server galera-4 rsync haproxy redis-server';

/** Two instances of the server over Galera and Redis behind HAProxy, all on the loopback. */
export class Cluster {
  nodes = [];
  redis = [];
  servers = [];
  #sentinels = [];
  #proxy;
  #ports;
  #folder = newFolder('cluster');
  #secrets = join(this.#folder, 'secrets');

  static async start() {
    const missing = Object.keys(PROGRAMS).filter((name) => !PROGRAMS[name]);
    if (missing.length > 0) {
      throw new Refusal(`a cluster needs ${missing.join(', ')} (Debian: ${PACKAGES})`);
    }
    const cluster = new Cluster();
    try {
      await cluster.#start();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async stop() {
    await Promise.all(this.servers.map((server) => server.end('SIGKILL')));
    await this.#proxy?.end();
    await Promise.all([...this.#sentinels, ...this.redis].map((one) => one.end()));
    for (const node of [...this.nodes].reverse()) await node.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The node to which the proxy sends all statements. */
  async writer() {
    const [{ name }] = await this.#throughProxy('SELECT @@wsrep_node_name AS name');
    return this.nodes.find((node) => node.name === name);
  }

  async startServer(server) {
    server.start(server.args);
    await server.until(() => fetch(`${server.url}/health/ready`).then(({ ok }) => ok), server.url);
  }

  /** Passwords that every process of the machine can read. */
  exposedPasswords() {
    const passwords = ['database-password', 'admin-password'].map((name) => this.#secret(name));
    passwords.push(new URL(this.#secret('sessions-url')).password);
    const processes = must('ps', 'ax', '-ww', '-o', 'args');
    return passwords.filter((password) => processes.includes(password));
  }

  /** The administration, called through the proxy. */
  get admin() {
    return new Admin(this, this.#secret('admin-password'));
  }

  async #start() {
    this.#ports = { web: await freePort(), database: await freePort(), sessions: await freePort() };
    makeSecrets(this.#secrets, this.#ports);
    const settings = { folder: this.#folder, programs: PROGRAMS, secrets: this.#secrets };
    for (const index of [1, 2, 3]) {
      this.nodes.push(await GaleraNode.create({ index, ...settings }));
    }
    const [first, ...others] = this.nodes;
    first.install();
    await first.start(this.nodes, { first: true });
    await Promise.all(others.map((node) => node.start(this.nodes)));
    await first.sql(`CREATE DATABASE ${DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
    const password = this.#secret('database-password');
    await first.sql(`CREATE USER ${DATABASE}@'%' IDENTIFIED BY '${password}'`);
    await first.sql(`GRANT ALL ON ${DATABASE}.* TO ${DATABASE}@'%'`);

    const redis = (names) => Promise.all(names.map((name) => RedisNode.create(name, settings)));
    this.redis = await redis(['redis1', 'redis2']);
    const [primary, replica] = this.redis;
    await primary.start();
    await replica.start(primary);
    this.#sentinels = await redis(['sentinel1', 'sentinel2', 'sentinel3']);
    for (const sentinel of this.#sentinels) sentinel.watch(primary);
    await this.#startProxyAndServers();
  }

  async #startProxyAndServers() {
    const { web, database, sessions } = this.#ports;
    this.url = `http://localhost:${web}`;
    this.database = this.#secret('database-url');
    for (const index of [1, 2]) this.servers.push(await this.#server(index));
    const [server1, server2] = this.servers;
    this.#proxy = new Program(PROGRAMS.haproxy, join(this.#folder, 'haproxy.log'));
    const passwords = join(this.#secrets, 'haproxy-passwords.cfg');
    const settings = inProject('docker/cluster/haproxy.cfg');
    const env = {
      ...process.env,
      WEB_BIND: `127.0.0.1:${web}`,
      SERVER1: `127.0.0.1:${server1.port}`,
      SERVER2: `127.0.0.1:${server2.port}`,
      DATABASE_BIND: `127.0.0.1:${database}`,
      ...Object.fromEntries(
        this.nodes.flatMap(({ name, address, checkPort }) => [
          [name.toUpperCase(), address],
          [`${name.toUpperCase()}_CHECK`, String(checkPort)],
        ]),
      ),
      SESSIONS_BIND: `127.0.0.1:${sessions}`,
      REDIS1: this.redis[0].address,
      REDIS2: this.redis[1].address,
    };
    this.#proxy.start(['-db', '-f', passwords, '-f', settings], { env });
    await this.#proxy.until(() => this.#throughProxy('SELECT 1'), 'the proxy');
    for (const server of this.servers) await this.startServer(server);
  }

  async #server(index) {
    const data = join(this.#folder, `server${index}`);
    mkdirSync(data);
    const port = await freePort();
    const server = new Program(process.execPath, join(data, 'output.log'));
    const secret = (name) => join(this.#secrets, name);
    const stores = ['--db-file', secret('database-url'), '--sessions-file', secret('sessions-url')];
    const admin = ['--admin-password-file', secret('admin-password')];
    const place = ['--port', String(port), '--data', data, '--trust-proxy', '1'];
    const args = [inProject('dist/main.js'), ...place, ...admin, ...stores, '--log-level', 'warn'];
    return Object.assign(server, { port, args, url: `http://localhost:${port}` });
  }

  #secret(name) {
    return readFileSync(join(this.#secrets, name), 'utf8').trim();
  }

  async #throughProxy(text) {
    const { createConnection } = await import('mysql2/promise');
    const connection = await createConnection({ uri: this.database, connectTimeout: 2000 });
    try {
      const [rows] = await connection.query({ sql: text, timeout: 5000 });
      return rows;
    } finally {
      connection.destroy();
    }
  }
}

/** Creates the passwords of the example with its own script. */
function makeSecrets(folder, { database, sessions }) {
  const places = { DATABASE: `127.0.0.1:${database}`, SESSIONS: `127.0.0.1:${sessions}` };
  const env = { ...process.env, ...places };
  mustIn({ env }, 'sh', inProject('docker/cluster/make-secrets.sh'), folder);
}
