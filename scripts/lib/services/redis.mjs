import { newFolder } from '../folder.mjs';
import { freePort } from './programs.mjs';

/** Redis 7 or Valkey, for data that several instances share. */
export const REDIS = {
  name: 'Redis',
  variable: 'TEST_REDIS_URL',
  usual: 'redis://127.0.0.1:6379',
  programs: ['redis-server', 'valkey-server'],
  install: { packages: ['redis-server'] },
  probe,
  prepare,
  scratch: [],
};

async function probe(url) {
  const { Redis } = await import('ioredis');
  const client = new Redis(url, {
    lazyConnect: true,
    // A test's own instance may have no INFO.
    enableReadyCheck: false,
    connectTimeout: 3000,
    // If there is no listener, waiting for the end of the connection is useless.
    disconnectTimeout: 100,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  // The rejected call below reports the same; without a listener, the event would also be printed.
  client.on('error', () => {});
  try {
    await client.connect();
    const told = await client.call('HELLO');
    return told[told.indexOf('version') + 1];
  } finally {
    client.disconnect();
  }
}

/** Returns how to start a new instance, and its address. */
async function prepare() {
  const folder = newFolder('redis');
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const nothingOnDisk = ['--save', '', '--appendonly', 'no', '--dir', folder];
  const args = ['--port', String(port), '--bind', '127.0.0.1', ...nothingOnDisk];
  return { url, args, folder, probe: () => probe(url) };
}
