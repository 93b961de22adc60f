import { once } from 'node:events';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Redis } from 'ioredis';
import { PrivateInstance } from '../../scripts/lib/services/private-instance.mjs';
import { RedisLink } from '../../src/platform/database/redis-link.js';
import { REDIS_URL } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { describeWith } from '../support/needs.js';

describeWith('Redis')('a connection to Redis that is closed while it opens', () => {
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
    ['when it is established', () => once(link.client, 'connect')],
  ])('a connection to Redis that is closed %s logs no warning', async (_, wait) => {
    await wait();
    link.onApplicationShutdown();
    // The client reports what it could not send a moment later.
    await setTimeout(50);
    expect(warn).not.toHaveBeenCalled();
  });
});

describeWith('Redis')('the ID of the data in Redis', () => {
  const url = REDIS_URL ?? '';
  const links: RedisLink[] = [];
  const runIdBy = (address: string) => {
    const link = new RedisLink(address);
    links.push(link);
    return eventually(() => link.ask(async (runId) => runId));
  };
  afterEach(() => links.splice(0).forEach((link) => link.onApplicationShutdown()));

  it('the ID of the data is the same for an immediate caller and after a lost connection', async () => {
    const proxy = await FaultyProxy.before(url);
    proxy.arm('server', 'silence');
    try {
      const [soon, late] = await Promise.all([runIdBy(url), runIdBy(proxy.urlOf(url))]);
      expect(proxy.struck).toBe(1);
      expect(soon).toMatch(/^\w{16}$/);
      expect(late).toBe(soon);
    } finally {
      await proxy.close();
    }
  });

  it('accepts an answer that arrived while this process was busy for longer than a command may take', async () => {
    const link = new RedisLink(url);
    links.push(link);
    await eventually(() => link.ask(async (runId) => runId));
    const answer = link.ask(() => link.client.ping());
    // The command is sent by the end of this turn.
    await setImmediate();
    for (const began = performance.now(); performance.now() - began < 1000;);
    expect(await answer).toBe('PONG');
  });

  it('learns the ID of the data again after a proxy has closed each new connection for a second', async () => {
    const warn = jest.spyOn(Logger, 'warn').mockImplementation(() => undefined);
    const proxy = await FaultyProxy.before(url);
    const link = new RedisLink(proxy.urlOf(url));
    links.push(link);
    const learn = () => eventually(() => link.ask(async (runId) => runId));
    try {
      const before = await learn();
      proxy.dieAfter(0);
      proxy.cut();
      await setTimeout(1000);
      proxy.revive();
      expect(await learn()).toBe(before);
    } finally {
      await proxy.close();
      warn.mockRestore();
    }
  });

  it('the ID of the data is empty if Redis does not permit INFO', async () => {
    const told = jest.spyOn(console, 'warn').mockImplementation(() => undefined);
    const redis = new Redis(url);
    const user = `reticent-${process.pid}`;
    const password = 'secret';
    try {
      await redis.call('ACL', 'SETUSER', user, 'on', `>${password}`, '~*', '&*', '+@all', '-info');
      const address = Object.assign(new URL(url), { username: user, password });
      expect(await runIdBy(address.href)).toBe('');
    } finally {
      await redis.call('ACL', 'DELUSER', user);
      redis.disconnect();
      told.mockRestore();
    }
  });

  it('the ID of the data is empty if INFO has another name', async () => {
    const redis = await PrivateInstance.redis(['--rename-command', 'INFO', '']);
    await redis.start();
    try {
      expect(await runIdBy(redis.url)).toBe('');
    } finally {
      await redis.remove();
    }
  });
});
