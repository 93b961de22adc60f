import { createHmac, randomBytes } from 'node:crypto';
import {
  Inject,
  Injectable,
  type ExecutionContext,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { LRUCache } from 'lru-cache';
import passport from 'passport';
import { BasicStrategy as PassportBasicStrategy } from 'passport-http';
import { serverOptions, type ServerOptions } from '../../config/server-config.js';
import { isLoopback } from '../../config/base-address.js';
import { ApiError } from '../../errors/api-error.js';
import { problem, type Problem } from '../../errors/reasons.js';
import { ANYBODY, type Account } from '../accounts/account.js';
import { Accounts, type KnownAccount } from '../accounts/accounts.js';
import { BreakGlass } from '../accounts/break-glass.js';
import { ConnectionLimits } from '../limits/connection-limits.js';
import { MINUTE_MS } from '../../common/durations.js';
import { randomText } from '../../common/random.js';
import { FailedSignIns } from './failed-sign-ins.js';
import { PasswordChecks } from './password-checks.js';

const CHALLENGE = { 'WWW-Authenticate': 'Basic realm="ServiceFido", charset="UTF-8"' };

/**
 * The name of an application's strategy. Passport has one registry of strategies per process: with a common name, a
 * second application would answer for the first one.
 */
@Injectable()
export class BasicStrategyName {
  readonly name = `basic-${randomText(12)}`;
}

/** Admits accounts with HTTP Basic (E0042R otherwise), and every caller with `--auth off`. */
@Injectable()
export class BasicAuthGuard extends AuthGuard() {
  constructor(
    @Inject(serverOptions.KEY) private readonly config: ServerOptions,
    { name }: BasicStrategyName,
  ) {
    super({ defaultStrategy: name });
  }

  /** `false` with `--auth off`. */
  get asks(): boolean {
    return this.config.auth;
  }

  override canActivate(context: ExecutionContext) {
    if (this.config.auth) return super.canActivate(context);
    const request = context.switchToHttp().getRequest<Request>();
    if (!this.config.authOffAnywhere) refuseForeignName(request);
    request.user = ANYBODY;
    return true;
  }

  override handleRequest<User>(
    error: unknown,
    user: User | false,
    _info: unknown,
    context: ExecutionContext,
  ): User {
    if (error) throw error;
    if (user) return user;
    const { headers, ip } = context.switchToHttp().getRequest<Request>();
    // The log contains the address, not the name, which may be a password typed into the wrong field.
    const cause = headers.authorization && new Error(`A sign-in from ${ip} failed.`);
    const advice = adviceAbout(headers.authorization);
    throw new ApiError(
      'E0042R',
      'authentication.needed',
      {},
      { headers: CHALLENGE, cause, advice },
    );
  }
}

/** What is wrong with a header that was sent; a wrong name and a wrong password look alike. */
function adviceAbout(authorization: string | undefined): Problem {
  if (authorization === undefined) return problem('authentication.how');
  const isBasic = /^basic\s/i.test(authorization);
  return problem(isBasic ? 'console.wrongPassword' : 'authorization.ignored');
}

/**
 * With `--auth off`, only the loopback address keeps strangers out. A foreign page could bypass it by DNS
 * rebinding, but its `Host` is still its own name. `X-Forwarded-Host` does not count: such a page may send one.
 *
 * @throws ApiError E0043R
 */
function refuseForeignName({ headers }: Request): void {
  const name = (headers.host ?? '').replace(/:\d*$/, '').toLowerCase();
  if (isLoopback(name)) return;
  throw new ApiError('E0043R', 'permission.loopbackOnly');
}

/** How long after its last use a correct Authorization header need not be derived again. */
const REMEMBERED_MS = 5 * MINUTE_MS;

/** HTTP Basic (RFC 7617) through passport-http. */
@Injectable()
export class BasicStrategy
  extends PassportStrategy(PassportBasicStrategy)
  implements OnApplicationShutdown
{
  /** A key that only this process knows, so that the cached digests are useless elsewhere. */
  private readonly pepper = randomBytes(32);
  private readonly remembered = new LRUCache<string, KnownAccount>({
    max: 1000,
    ttl: REMEMBERED_MS,
    updateAgeOnGet: true,
  });
  /** Checks in progress, by header: if a page sends ten requests at once, its password is derived once. */
  private readonly pending = new Map<string, Promise<KnownAccount | undefined>>();

  constructor(
    private readonly accounts: Accounts,
    private readonly failures: FailedSignIns,
    private readonly checks: PasswordChecks,
    private readonly connections: ConnectionLimits,
    private readonly registered: BasicStrategyName,
    private readonly breakGlass: BreakGlass,
  ) {
    super({ passReqToCallback: true, realm: 'ServiceFido' });
    passport.use(registered.name, this);
  }

  /** The requests have ended by now. */
  onApplicationShutdown(): void {
    passport.unuse(this.registered.name);
  }

  /** Reads the header itself: passport-http cuts a password at its first colon. */
  async validate(request: Request): Promise<Account | false> {
    const account = await this.accountOf(request);
    if (account) this.connections.spare(request);
    return account ?? false;
  }

  private async accountOf(request: Request): Promise<Account | undefined> {
    const { headers, ip } = request;
    const header = headers.authorization ?? '';
    const digest = this.digestOf(header);
    const remembered = this.remembered.get(digest);
    if (remembered && (await this.isAsItWas(remembered))) return remembered.account;

    const [name, password] = credentialsOf(header);
    return this.failures.attempt({ ip, name }, async (countFailure) => {
      const known = await this.once(digest, () =>
        this.checks.run(ip, () => this.accounts.find(name, password)),
      );
      // If a key is required, the password alone is not enough.
      if (known?.signIn === 'password') {
        await this.breakGlass.record(known.account, request, 'basic');
        this.remembered.set(digest, known);
        return known.account;
      }
      countFailure();
      return undefined;
    });
  }

  private async isAsItWas({ account, mark }: KnownAccount): Promise<boolean> {
    return (await this.accounts.known(account.name))?.mark.equals(mark) === true;
  }

  /** The cache key of a header, which changes whenever the file of accounts is read again. */
  private digestOf(header: string): string {
    const text = `${this.accounts.version} ${header}`;
    return createHmac('sha256', this.pepper).update(text).digest('base64');
  }

  private once(
    digest: string,
    check: () => Promise<KnownAccount | undefined>,
  ): Promise<KnownAccount | undefined> {
    let found = this.pending.get(digest);
    if (!found) {
      found = check().finally(() => this.pending.delete(digest));
      this.pending.set(digest, found);
    }
    return found;
  }
}

/**
 * Name and password in a header (RFC 7617 §2): one Base64 text, in which the first colon ends the name. Both
 * are empty for anything else.
 */
function credentialsOf(header: string): [name: string, password: string] {
  const [, token = ''] = /^basic +([a-z0-9+/]+={0,2})$/i.exec(header) ?? [];
  const text = Buffer.from(token, 'base64').toString('utf8');
  const [, name = '', password = ''] = /^([^:]*):(.*)$/s.exec(text) ?? [];
  return [name, password];
}
