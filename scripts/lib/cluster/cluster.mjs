import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inProject } from '../project.mjs';
import { newFolder } from '../services/daemon.mjs';
import { freePort } from '../services/programs.mjs';
import { GaleraNode } from './galera.mjs';
import { ClusterProcess } from './process.mjs';
import { clusterPrograms } from './programs.mjs';
import { RedisNode, startSentinels } from './redis.mjs';

const DATABASE = 'servicefido';
const PASSWORD = 'servicefido';

/** Two instances of the server over Galera and Redis behind HAProxy, all on the loopback. */
export class Cluster {
  nodes = [];
  redis = [];
  servers = [];
  #sentinels = [];
  #proxy;
  #folder = newFolder('cluster');

  static async start() {
    const cluster = new Cluster();
    try {
      await cluster.#start(clusterPrograms());
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  async stop() {
    await Promise.all(this.servers.map((server) => server.end('SIGKILL')));
    await this.#proxy?.end();
    await Promise.all(
      [...this.#sentinels, ...this.redis.map((one) => one.process)].map((one) => one.end()),
    );
    for (const node of [...this.nodes].reverse()) await node.stop();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The node that the proxy sends everything to. */
  async writer() {
    const [{ name }] = await this.#throughProxy('SELECT @@wsrep_node_name AS name');
    return this.nodes.find((node) => node.name === name);
  }

  async startServer(server) {
    server.start(server.args);
    await server.until(() => fetch(`${server.url}/health/ready`).then(({ ok }) => ok), server.url);
  }

  async #start(programs) {
    const folder = this.#folder;
    for (const index of [1, 2, 3]) {
      this.nodes.push(await GaleraNode.create({ index, folder, programs }));
    }
    const [first, ...others] = this.nodes;
    first.install();
    await first.start(this.nodes, { first: true });
    await Promise.all(others.map((node) => node.start(this.nodes)));
    await first.sql(`CREATE DATABASE ${DATABASE} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`);
    await first.sql(`CREATE USER ${DATABASE}@'%' IDENTIFIED BY '${PASSWORD}'`);
    await first.sql(`GRANT ALL ON ${DATABASE}.* TO ${DATABASE}@'%'`);

    for (const index of [1, 2])
      this.redis.push(await RedisNode.create({ index, folder, programs }));
    const [primary, replica] = this.redis;
    await primary.start();
    await replica.start(primary);
    this.#sentinels = await startSentinels({ primary, folder, programs });
    await this.#startProxyAndServers(programs);
  }

  async #startProxyAndServers(programs) {
    const [web, database, sessions] = [await freePort(), await freePort(), await freePort()];
    this.url = `http://localhost:${web}`;
    this.database = `mysql://${DATABASE}:${PASSWORD}@127.0.0.1:${database}/${DATABASE}`;
    for (const index of [1, 2]) {
      this.servers.push(await this.#server(index, `redis://127.0.0.1:${sessions}`));
    }
    const [server1, server2] = this.servers;
    this.#proxy = new ClusterProcess(programs.haproxy, join(this.#folder, 'haproxy.log'));
    this.#proxy.start(['-db', '-f', inProject('docker/cluster/haproxy.cfg')], {
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
    });
    await this.#proxy.until(() => this.#throughProxy('SELECT 1'), 'the proxy');
    for (const server of this.servers) await this.startServer(server);
  }

  async #server(index, sessions) {
    const data = join(this.#folder, `server${index}`);
    mkdirSync(data);
    const port = await freePort();
    const server = new ClusterProcess(process.execPath, join(data, 'output.log'));
    const stores = ['--db', this.database, '--sessions', sessions];
    const place = ['--port', String(port), '--data', data, '--admin-password', PASSWORD];
    const args = [inProject('dist/main.js'), ...place, ...stores, '--log-level', 'warn'];
    return Object.assign(server, { port, args, url: `http://localhost:${port}` });
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
