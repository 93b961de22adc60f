import { once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { RedisLink } from '../../src/database/redis-link.js';
import { REDIS_URL } from '../support/databases.js';

describe('the connection to Redis, closed while it is made', () => {
  let link: RedisLink;
  let warn: jest.SpiedFunction<typeof Logger.warn>;
  beforeEach(() => {
    warn = jest.spyOn(Logger, 'warn').mockImplementation(() => undefined);
    link = new RedisLink(REDIS_URL ?? '');
  });
  afterEach(() => warn.mockRestore());

  // A command like `keys rotate` may be done before Redis has answered; that is nobody's fault.
  it.each<[string, () => Promise<unknown>]>([
    ['at once', async () => undefined],
    ['a moment later', () => setImmediate()],
    ['when the line stands', () => once(link.client, 'connect')],
  ])('%s, ends without a complaint', async (_, wait) => {
    await wait();
    link.onApplicationShutdown();
    // The client reports what it could not send a moment later.
    await setTimeout(50);
    expect(warn).not.toHaveBeenCalled();
  });
});
