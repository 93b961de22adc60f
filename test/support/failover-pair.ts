import type { ServerOptions } from '../../src/platform/config/server-config.js';
import { RedisLink } from '../../src/platform/database/redis-link.js';
import { Balancer } from './balancer.js';
import { REDIS_URL, type TestDatabase } from './databases.js';
import { FaultyProxy, REFUSAL } from './faulty-proxy.js';
import { createServerDatabase } from './server-database.js';
import { ServerProcess } from './server-process.js';
import { TestServer } from './test-server.js';

const REDIS_WAIT_SECONDS = 60;

/** The option that both instances have. */
type Door = keyof ServerOptions & ('oidc' | 'entra');

/**
 * Two instances with MariaDB and Redis behind one address. The first serves all requests until it is killed, and
 * reaches its stores through proxies; then the second serves.
 *
 * The second is a process of its own, so that it knows nothing of the first. The first is in this process, where it
 * starts ten times as fast. Its kill ends its connections to callers and stores for good: these cannot distinguish it
 * from the end of a process.
 */
export class FailoverPair {
  private readonly serving: { readonly url: string }[] = [];
  private readonly balancer = new Balancer(this.serving);
  readonly proxies = {} as { MariaDB: FaultyProxy; Redis: FaultyProxy };
  private first: TestServer | undefined;
  private second: ServerProcess | undefined;

  private constructor(
    private readonly door: Door,
    readonly database: TestDatabase,
  ) {}

  /**
   * Starts the second instance, which serves until `startFirst`. A start that fails leaves nothing behind.
   *
   * @param env of the second instance
   */
  static async start(
    door: Door,
    env: Readonly<Record<string, string>> = {},
  ): Promise<FailoverPair> {
    const pair = new FailoverPair(door, await createServerDatabase('MariaDB'));
    try {
      await pair.startSecond(env);
    } catch (error) {
      await pair.remove();
      throw error;
    }
    return pair;
  }

  private async startSecond(env: Readonly<Record<string, string>>): Promise<void> {
    const { database, proxies } = this;
    const redis = `${REDIS_URL}`;
    proxies.MariaDB = await FaultyProxy.before(database.url);
    proxies.Redis = await FaultyProxy.before(redis);
    await this.balancer.start();
    const stores = ['--db', database.url, '--sessions', redis];
    const options = ['--issuer', this.url, ...stores, `--${this.door}`, 'on'];
    this.second = new ServerProcess(options, env);
    await this.second.start();
    this.serveBySecond();
  }

  get url(): string {
    return this.balancer.url;
  }

  async startFirst(): Promise<TestServer> {
    const { database, proxies, url: issuer } = this;
    const sessions = proxies.Redis.urlOf(`${REDIS_URL}`);
    this.first = await TestServer.start({
      database: { ...database, url: proxies.MariaDB.urlOf(database.url) },
      options: { issuer, sessions, [this.door]: true },
    });
    await this.first.get(RedisLink).openWithin(REDIS_WAIT_SECONDS);
    this.serving[0] = this.first;
    return this.first;
  }

  /** Kills the first instance, which still gets the requests: call `serveBySecond` when its answers are known. */
  async killFirst(): Promise<void> {
    const { first, proxies } = this;
    this.first = undefined;
    if (!first) return;
    first.http.close();
    first.http.closeAllConnections();
    proxies.MariaDB.die(REFUSAL);
    proxies.Redis.die();
    await first.stop();
    for (const proxy of Object.values(proxies)) proxy.revive();
  }

  serveBySecond(): void {
    if (this.second) this.serving[0] = this.second;
  }

  async remove(): Promise<void> {
    await this.killFirst();
    await this.second?.remove();
    this.balancer.stop();
    await Promise.all(Object.values(this.proxies).map((proxy) => proxy.close()));
    await this.database.remove();
  }
}
