import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock, isWindowOver } from '../../common/clock.js';
import { BoundedMap } from '../../common/caching.js';
import { ApiError } from '../../errors/api-error.js';
import { addressGroup, wideAddressGroup } from '../../common/network/address-group.js';
import { normalizeName } from '../../validation/values/names.js';
import { MINUTE_MS } from '../../common/durations.js';

const WINDOW_MS = 5 * MINUTE_MS;
/** Wrong sign-ins in a window from one network, whatever the account. */
const OF_NETWORK = 200;
/** The same for a whole IPv6 /48, which may be one site or many. */
const OF_SITE = 16 * OF_NETWORK;
/** Wrong sign-ins in a window for one account from one network. */
const OF_PAIR = 50;
/** This many wrong sign-ins for one account from anywhere are an attack: each network then has few attempts. */
const ALARM = 500;
const OF_PAIR_UNDER_ATTACK = 5;
/** Counts kept in memory: to displace them, sign-ins must fail more often than passwords can be checked. */
const MAX_COUNTS = 20_000;

/** Who signs in: the address of the caller, and the name of the account. */
interface Caller {
  readonly ip: string | undefined;
  readonly name: string;
}

/** Creates the refusal of a caller who must wait. */
type Refusal = (seconds: number) => ApiError;

interface Count {
  failures: number;
  /** End of the window, in milliseconds since 1970. */
  readonly until: number;
}

/**
 * Slows down the guessing of passwords: per network, and per account and network. An attacker elsewhere cannot lock
 * out the account's owner: while an account is attacked from many networks, each other network still has a
 * few attempts. Each process counts separately; names and addresses are stored as fingerprints of one size.
 */
@Injectable()
export class FailedSignIns {
  private readonly counts = new BoundedMap<Count>(MAX_COUNTS);

  constructor(private readonly clock: Clock) {}

  /**
   * Makes an attempt, unless too many have failed. Everything that checks a password, or another proof of an account,
   * does so here.
   *
   * @param check calls `countFailure` if the proof is wrong
   * @throws ApiError E0040R, or another refusal
   */
  async attempt<T>(
    { ip, name }: Caller,
    check: (countFailure: () => void) => Promise<T>,
    refusal: Refusal = (seconds) => ApiError.tooMany(seconds),
  ): Promise<T> {
    this.ensureMayTry({ ip, name }, refusal);
    return check(() => this.add(ip, name));
  }

  /**
   * Counts an attempt as failed, until it succeeds: simultaneous ones count too.
   *
   * @returns a function that takes the failure back
   * @throws as `attempt`
   */
  countUntilSuccess({ ip, name }: Caller, refusal: Refusal): () => void {
    this.ensureMayTry({ ip, name }, refusal);
    this.add(ip, name);
    return () => this.takeBack(ip, name);
  }

  private ensureMayTry({ ip, name }: Caller, refusal: Refusal): void {
    const seconds = this.secondsToWait(ip, name);
    if (seconds > 0) throw refusal(seconds);
  }

  /** Seconds to wait before the next attempt; 0 if it is allowed now. */
  secondsToWait(address: string | undefined, name: string): number {
    const { network, site, account, pair } = keysOf(address, name);
    const attacked = this.failures(account) >= ALARM;
    const limits = [
      { key: network, most: OF_NETWORK },
      { key: site, most: OF_SITE },
      { key: pair, most: attacked ? OF_PAIR_UNDER_ATTACK : OF_PAIR },
    ];
    const reached = limits.filter(({ key, most }) => this.failures(key) >= most);
    const end = Math.max(0, ...reached.map(({ key }) => this.counts.peek(key)?.until ?? 0));
    return Math.max(0, Math.ceil((end - this.clock.now()) / 1000));
  }

  add(address: string | undefined, name: string): void {
    for (const key of Object.values(keysOf(address, name))) {
      const failures = this.failures(key);
      const current = failures > 0 ? this.counts.get(key) : undefined;
      if (current) current.failures += 1;
      else this.counts.set(key, { failures: 1, until: this.clock.now() + WINDOW_MS });
    }
  }

  /** Takes back a failure that was counted when an attempt began. */
  takeBack(address: string | undefined, name: string): void {
    for (const key of Object.values(keysOf(address, name))) {
      const current = this.failures(key) > 0 ? this.counts.get(key) : undefined;
      if (current) current.failures -= 1;
    }
  }

  private failures(key: string): number {
    const count = this.counts.get(key);
    return count && !isWindowOver(count.until, this.clock.now(), WINDOW_MS) ? count.failures : 0;
  }
}

function keysOf(address: string | undefined, name: string) {
  const network = addressGroup(address);
  return {
    network: fingerprint('network', network),
    site: fingerprint('site', wideAddressGroup(address)),
    account: fingerprint('account', normalizeName(name)),
    pair: fingerprint('pair', network, normalizeName(name)),
  };
}

const fingerprint = (...parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64');
