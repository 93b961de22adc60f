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

  private constructor(
    readonly database: TestDatabase,
    readonly proxies: { readonly MariaDB: FaultyProxy; readonly Redis: FaultyProxy },
  ) {}

  private first!: ServerProcess;
  private second!: ServerProcess;

  /** Starts the second instance, which serves until `startFirst`. */
  static async start(
    options: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<FailoverPair> {
    const database = await createServerDatabase('MariaDB');
    const redis = `${REDIS_URL}`;
    const proxies = {
      MariaDB: await FaultyProxy.before(database.url),
      Redis: await FaultyProxy.before(redis),
    };
    const pair = new FailoverPair(database, proxies);
    await pair.balancer.start();
    const instance = (db: string, sessions: string) =>
      new ServerProcess(
        ['--issuer', pair.url, '--db', db, '--sessions', sessions, ...options],
        env,
      );
    pair.first = instance(proxies.MariaDB.urlOf(database.url), proxies.Redis.urlOf(redis));
    pair.second = instance(database.url, redis);
    await pair.second.start();
    pair.serveBySecond();
    return pair;
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
    await this.first.remove();
    await this.second.remove();
    this.balancer.stop();
    await Promise.all(Object.values(this.proxies).map((proxy) => proxy.close()));
    await this.database.remove();
  }
}
