import { Balancer } from './balancer.js';
import { REDIS_URL, type TestDatabase } from './databases.js';
import { FaultyProxy } from './faulty-proxy.js';
import { createServerDatabase } from './server-database.js';
import { ServerProcess } from './server-process.js';

/**
 * Two instances with MariaDB and Redis behind one address. The first serves all requests until it is killed, and
 * reaches its stores through proxies; then the second serves.
 */
export class FailoverPair {
  private readonly serving: ServerProcess[] = [];
  private readonly balancer = new Balancer(this.serving);
  private readonly instances: ServerProcess[] = [];
  readonly proxies = {} as { MariaDB: FaultyProxy; Redis: FaultyProxy };

  private constructor(readonly database: TestDatabase) {}

  private first!: ServerProcess;
  private second!: ServerProcess;

  /** Starts the second instance, which serves until `startFirst`. A start that fails leaves nothing behind. */
  static async start(
    options: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<FailoverPair> {
    const pair = new FailoverPair(await createServerDatabase('MariaDB'));
    try {
      await pair.startSecond(options, env);
    } catch (error) {
      await pair.remove();
      throw error;
    }
    return pair;
  }

  private async startSecond(
    options: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<void> {
    const { database, proxies } = this;
    const redis = `${REDIS_URL}`;
    proxies.MariaDB = await FaultyProxy.before(database.url);
    proxies.Redis = await FaultyProxy.before(redis);
    await this.balancer.start();
    const instance = (db: string, sessions: string) =>
      new ServerProcess(
        ['--issuer', this.url, '--db', db, '--sessions', sessions, ...options],
        env,
      );
    this.first = instance(proxies.MariaDB.urlOf(database.url), proxies.Redis.urlOf(redis));
    this.second = instance(database.url, redis);
    this.instances.push(this.first, this.second);
    await this.second.start();
    this.serveBySecond();
  }

  get url(): string {
    return this.balancer.url;
  }

  async startFirst(): Promise<void> {
    await this.first.start();
    this.serving[0] = this.first;
  }

  /** Kills the first instance, which still gets the requests: call `serveBySecond` when its answers are known. */
  async killFirst(): Promise<void> {
    await this.first.end('SIGKILL');
  }

  serveBySecond(): void {
    this.serving[0] = this.second;
  }

  async remove(): Promise<void> {
    for (const instance of this.instances) await instance.remove();
    this.balancer.stop();
    await Promise.all(Object.values(this.proxies).map((proxy) => proxy.close()));
    await this.database.remove();
  }
}
