import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { MoreThan, type Repository } from 'typeorm';
import type { AuditEntry } from '../audit/audit-entry.js';
import { AuditTrail } from '../audit/audit-trail.js';
import type { AuditFacts } from '../audit/request-rows.js';
import { Clock } from '../platform/common/clock.js';
import type { Account } from '../platform/access/accounts/account.js';
import type { KnownAccount } from '../platform/access/accounts/accounts.js';
import { hashPassword } from '../platform/access/basic/password-checks.js';
import {
  deleteStep,
  insertStep,
  mustChange,
  updateStep,
} from '../platform/database/commit/step-of.js';
import type { Step } from '../platform/database/commit/unit.js';
import { ApiError } from '../platform/errors/api-error.js';
import { DAY_MS } from '../platform/common/durations.js';
import { sha256 } from '../platform/common/sha256.js';
import { ConsoleKeys } from './keys/console-keys.js';
import type { NewKey } from './keys/key-ceremony.js';
import { ConsoleSession } from './sessions/console-session.entity.js';
import { AccountRows } from './account-rows.js';
import { ConsoleAccount, ConsoleSetup } from './console-account.entity.js';

/** How the owner of an account signs in for the first time. */
export const FIRST_SIGN_IN_WAYS = ['link', 'password'] as const;
export type FirstSignInWay = (typeof FIRST_SIGN_IN_WAYS)[number];

/** The data that an administrator hands over to the owner of an account; shown only once. */
export interface FirstAccess {
  readonly start: FirstSignInWay;
  /** The link's token, or the password. */
  readonly secret: string;
  /** When the link expires, in milliseconds since 1970. */
  readonly endsAt: number | null;
}

/** The choice of an account's owner: a password, a key, or both. */
interface OwnChoice {
  readonly password?: string | undefined;
  readonly key?: NewKey | undefined;
}

const LINK_MS = 3 * DAY_MS;
const linkOver = () => new ApiError('E0045R', 'account.linkOver');

/** 120 bits: too many to guess, and short enough to be read aloud. */
const newSecret = (): string => randomBytes(15).toString('base64url');
/** Lets owners of accounts sign in for the first time, with a link or a password that they must change. */
@Injectable()
export class AccountSetup {
  constructor(
    @InjectRepository(ConsoleSetup) private readonly setups: Repository<ConsoleSetup>,
    private readonly rows: AccountRows,
    private readonly keys: ConsoleKeys,
    private readonly trail: AuditTrail,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates the first access of an account, which replaces an earlier one.
   *
   * @returns also the hash of its password, and the steps that follow the one that stores it
   */
  async begin(accountId: Buffer, start: FirstSignInWay) {
    const secret = newSecret();
    const byLink = start === 'link';
    const setup: ConsoleSetup = {
      accountId,
      tokenHash: byLink ? sha256(secret) : null,
      endsAt: byLink ? this.clock.now() + LINK_MS : null,
    };
    const access: FirstAccess = { start, secret, endsAt: setup.endsAt };
    return {
      access,
      password: byLink ? null : await hashPassword(secret),
      steps: [this.end(accountId), insertStep(this.setups, setup)],
    };
  }

  endSessions({ name }: Pick<Account, 'name'>): Step {
    const sessions = this.setups.manager.getRepository(ConsoleSession);
    return deleteStep(sessions, { account: name });
  }

  /** A step that marks an account as set up by its owner. */
  end(accountId: Buffer): Step {
    return deleteStep(this.setups, { accountId });
  }

  /**
   * Finds the account of a setup link.
   *
   * @throws ApiError E0045R for a link that was used, replaced or has expired, and for an unknown
   *   one
   */
  async accountOf(token: string): Promise<KnownAccount> {
    return (await this.find(token)).known;
  }

  /**
   * Uses a setup link; of several simultaneous uses, one succeeds. All sessions of the account end.
   *
   * @param row creates the audit row, which then names the account
   * @throws ApiError E0045R for a link that is no longer valid, or an invalid key
   */
  async finish(
    token: string,
    { password, key }: OwnChoice,
    row: (facts: AuditFacts) => AuditEntry,
  ): Promise<KnownAccount> {
    const { known, setup, row: found } = await this.find(token);
    const added = key && (await this.keys.prepare(known, key));
    if (password === undefined && !added?.key.uvInitialized) {
      throw new ApiError('E0045R', 'accountKey.addVerifiedFirst');
    }
    const hashed = password === undefined ? null : await hashPassword(password);
    const { accountId: id, tokenHash } = setup;
    const unused = { accountId: id, tokenHash: tokenHash ?? sha256(token), endsAt: this.notOver };
    const accounts = this.setups.manager.getRepository(ConsoleAccount);
    const unit = [
      mustChange(deleteStep(this.setups, unused)),
      updateStep(accounts, { id }, { password: hashed, signIn: hashed ? 'password' : 'key' }),
      ...(added?.steps ?? []),
      this.endSessions(known.account),
    ];
    const { name, role } = known.account;
    const way = hashed ? 'password' : 'key';
    const entry = { ...row({ detail: { way } }), account: name, role };
    if (!(await this.trail.commit([entry], unit))) throw linkOver();
    const now = await this.rows.ownerOf(found);
    // A reset right afterwards has created a new link: this one does not sign in.
    if (!now || now.isNew) throw linkOver();
    return now;
  }

  private get notOver() {
    return MoreThan(this.clock.now());
  }

  private async find(token: string) {
    const setup = await this.setups.findOne({
      where: { tokenHash: sha256(token), endsAt: this.notOver },
      relations: { account: true },
    });
    const row = setup?.account;
    const known = row && (await this.rows.ownerOf(row));
    if (!setup || !known) throw linkOver();
    return { setup, row, known };
  }
}
