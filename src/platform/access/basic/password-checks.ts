import { availableParallelism } from 'node:os';
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { addressGroup, wideAddressGroup } from '../../common/network/address-group.js';
import { RoundRobin } from '../../common/turns/round-robin.js';
import { PASSWORD_HASH } from '../../config/files/accounts-file.js';
import { ApiError } from '../../errors/api-error.js';

/** The cost of new hashes, as log2 of N of scrypt: a tenth of a second on one core. */
const COST = 15;
const KEY_BYTES = 32;

function derive(password: string, salt: Buffer, cost: number): Promise<Buffer> {
  const N = 2 ** cost;
  return new Promise((resolve, reject) => {
    const options = { N, r: 8, p: 1, maxmem: 2048 * N };
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/**
 * Returns `scrypt$SALT$KEY`, both in Base64URL. A hash of another cost has `$COST` at its end: instances of 1.0 read
 * only hashes without it.
 *
 * @param cost another cost than that of every hash that the server stores: tests need cheap hashes
 */
export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, cost);
  const hash = `scrypt$${salt.toString('base64url')}$${key.toString('base64url')}`;
  return cost === COST ? hash : `${hash}$${cost}`;
}

/** Compares in constant time, at the cost of the hash; a hash of another form matches nothing. */
export async function passwordMatches(password: string, hash: string): Promise<boolean> {
  if (!PASSWORD_HASH.test(hash)) return false;
  const [, salt = '', key = '', cost = COST] = hash.split('$');
  const derived = await derive(password, Buffer.from(salt, 'base64url'), Number(cost));
  // No password contains a NUL: scrypt begins with HMAC, which treats a key and the same key with trailing zeros
  // as equal. Checked last, so that every password costs the same.
  return timingSafeEqual(derived, Buffer.from(key, 'base64url')) && !password.includes('\0');
}

/** Parallel checks: one core stays free for sign-ins with keys. */
const AT_ONCE = Math.max(1, Math.min(4, availableParallelism() - 1));
/** Waiting checks of one address (IPv6: a /64) and of a whole /48. */
const PLACES = 8;
const PLACES_OF_SITE = 32;

interface QueuedCheck {
  readonly address: string;
  start(): void;
}

/**
 * Deriving a key by scrypt takes a core for a tenth of a second, and anyone can cause it, so only a few run in
 * parallel. Each network has a few waiting places, and the networks take turns: one network's queue never fills
 * another's, and a newcomer waits for one check of each other network.
 */
@Injectable()
export class PasswordChecks {
  private running = 0;
  private readonly networks = new RoundRobin<QueuedCheck>();

  /** @throws ApiError E0040R if this network has too many waiting checks */
  async run<T>(address: string | undefined, check: () => Promise<T>): Promise<T> {
    await this.turn(address);
    try {
      return await check();
    } finally {
      // Passes the slot to the next in line, or frees it.
      const next = this.networks.take();
      if (next) next.start();
      else this.running -= 1;
    }
  }

  private async turn(ip: string | undefined): Promise<void> {
    if (this.running < AT_ONCE) {
      this.running += 1;
      return;
    }
    const address = addressGroup(ip);
    const network = wideAddressGroup(ip);
    const waiting = this.networks.of(network);
    const own = waiting.filter((other) => other.address === address).length;
    if (own >= PLACES || waiting.length >= PLACES_OF_SITE) {
      throw ApiError.tooMany(1);
    }
    await new Promise<void>((start) => this.networks.add(network, { address, start }));
  }
}
