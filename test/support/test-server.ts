import { mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino } from 'pino';
import { createApp } from '../../src/app.js';
import { Clock } from '../../src/platform/common/clock.js';
import { optionsWith } from '../../src/platform/config/load-options.js';
import type { ServerOptions } from '../../src/platform/config/server-config.js';
import { Database } from '../../src/platform/database/database.js';
import { startCall } from '../../src/tenancy/first-start.js';
import type { CreateRelyingPartyDto } from '../../src/tenancy/tenancy.dto.js';
import { RedisLink } from '../../src/platform/database/redis-link.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { createServerDatabase } from './server-database.js';
import { REDIS_URL, type DatabaseName, type TestDatabase } from './databases.js';

/** Node.js fires later timers at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A clock that tests move by hand. */
export class TestClock extends Clock {
  private offset = 0;
  private passed = 0;
  private standing: number | undefined;

  /** @param speed how many seconds of leases and jobs pass in a real one; `now` knows nothing of it */
  constructor(private readonly speed = 1) {
    super();
  }

  override elapsed(): number {
    return super.elapsed() * this.speed + this.passed;
  }

  override timer(ms: number): number {
    return Math.min(ms / this.speed, LONGEST_TIMER_MS);
  }

  override now(): number {
    return (this.standing ?? super.now()) + this.offset;
  }

  /** Stops the clock, which then advances only by tests: for limits that are exact to a second. */
  standAt(time: number): void {
    this.standing = time;
  }

  /** Ends `standAt`. */
  goOn(): void {
    this.standing = undefined;
  }

  /** Sets the clock forward or back. */
  advance(ms: number): void {
    this.offset += ms;
  }

  /** Lets time pass: also for leases, and for what is measured without the clock. */
  pass(ms: number): void {
    this.passed += ms;
    this.advance(ms);
  }

  /** The date in UTC: `2026-02-28`. */
  today(): string {
    return new Date(this.now()).toISOString().slice(0, 10);
  }

  /** Advances to the middle of the next month, so that neither its day nor the month ends during a test. */
  toMiddleOfMonth(): void {
    const now = new Date(this.now());
    const middle = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 15, 12);
    this.advance(middle - now.getTime());
  }
}

/** Jobs that look every two seconds look ten times a second. */
export const FAST = 20;
/** Only tests do the rounds of jobs: the server's own, which come at any moment, are hours apart. */
export const BY_HAND = 1 / 10_000;

export const ADMIN = {
  user: 'admin',
  password: 'correct horse: battery',
  /** For the option; cheap, since every start and first sign-in derives a key. */
  hash: 'scrypt$I90Lz9HMN9_HBgiAM88qDw$7dV9emdqirPZILBySFGw6IrxjyQscchR30OFVmJ2cAw$4',
};

export interface ServerSettings {
  readonly options?: Partial<ServerOptions>;
  readonly on?: DatabaseName;
  /** A database that several servers share; the caller removes it. */
  readonly database?: TestDatabase;
  /** `FAST` for tests that would wait for a lease or for the next round of a job, or `BY_HAND`; 1 by default. */
  readonly speed?: number;
  /** For a server whose options contain its address; any free port by default. */
  readonly port?: number;
}

/** Far more than it takes. */
const REDIS_WAIT_SECONDS = 60;

/** Events, without those of refused ceremonies. */
const COMPLETED = "(SELECT * FROM events WHERE kind NOT LIKE '%-refused') completed";

/** The real server on a free port of loopback, over a database of its own. */
export class TestServer {
  /** Lines that the server logged, as objects. */
  readonly logged: Record<string, unknown>[] = [];
  private app!: NestExpressApplication;
  private port = 0;

  private constructor(
    private readonly data: string,
    readonly database: TestDatabase,
    private readonly ownsDatabase: boolean,
    readonly clock: TestClock,
  ) {}

  static async start({
    options,
    on = 'SQLite',
    database,
    speed,
    port = 0,
  }: ServerSettings = {}): Promise<TestServer> {
    const data = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
    const used = database ?? (await createServerDatabase(on));
    const server = new TestServer(data, used, database === undefined, new TestClock(speed));
    const log = pino(
      // As in production, the log and the audit trail have the same clock: a restore compares them.
      { level: 'info', timestamp: () => `,"time":${server.clock.now()}` },
      { write: (line) => server.logged.push(JSON.parse(line)) },
    );
    server.app = await createApp(
      optionsWith({ data, db: used.url, adminPassword: ADMIN.hash, ...options }),
      { clock: server.clock, log },
    );
    await server.listen(port);
    // As `serve` does: a first call does not wait for a connection that a busy machine opens late.
    if (options?.sessions !== undefined && options.sessions === REDIS_URL)
      await server.get(RedisLink).openWithin(REDIS_WAIT_SECONDS);
    return server;
  }

  /** A start that fails leaves nothing open. */
  private async listen(port: number): Promise<void> {
    try {
      await this.app.listen(port, '127.0.0.1');
    } catch (error) {
      await this.app.close();
      throw error;
    }
    const address = this.app.getHttpServer().address();
    if (typeof address === 'object' && address) this.port = address.port;
  }

  /** `http://localhost:PORT`: the origin of pages that the relying party `localhost` allows. */
  get url(): string {
    return `http://localhost:${this.port}`;
  }

  get http(): Server {
    return this.app.getHttpServer() as Server;
  }

  /** The first line that was logged about a request. */
  loggedOf(requestId: unknown): Record<string, unknown> | undefined {
    return this.logged.find((line) => line['requestId'] === requestId);
  }

  /** A service of the application. */
  get<T>(token: abstract new (...args: never[]) => T): T {
    return this.app.get<T>(token as never);
  }

  /** For services that a test uses without HTTP: a call of the operator that leaves no row in the audit trail. */
  get call() {
    return startCall(this.get(Database));
  }

  /** Adds a relying party to a tenant, which is added too where it is missing. */
  async addRelyingParty(tenant: string, relyingParty: CreateRelyingPartyDto): Promise<void> {
    const tenancy = this.get(TenancyService);
    const tenants = await tenancy.listTenants();
    if (!tenants.some(({ name }) => name === tenant))
      await tenancy.addTenant(this.call, { tenant });
    await tenancy.addRelyingParty(this.call, tenant, relyingParty);
  }

  /**
   * Every row that matters, to prove that a refused request changed none. The refusal itself is
   * recorded a moment later, and left out.
   */
  async snapshot(): Promise<string> {
    const tables = ['tenants', 'relying_parties', 'users', 'credentials', 'events', 'tickets'];
    const contents = await Promise.all(
      tables.map(async (table) => {
        const rows = await this.get(DataSource).query<object[]>(
          `SELECT * FROM ${table === 'events' ? COMPLETED : table} ORDER BY 1`,
        );
        return [table, rows.map(withHexBytes)];
      }),
    );
    return JSON.stringify(contents);
  }

  async stop(): Promise<void> {
    await this.app.close();
    if (this.ownsDatabase) await this.database.remove();
    rmSync(this.data, { recursive: true, force: true });
  }
}

/** `JSON.stringify` alone lists bytes as numbers, which takes ten times as long. */
const withHexBytes = (row: object) =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [
      column,
      Buffer.isBuffer(value) ? value.toString('hex') : (value as unknown),
    ]),
  );
