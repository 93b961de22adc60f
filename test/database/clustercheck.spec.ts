import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { freePort } from '../../scripts/lib/services/programs.mjs';
import { projectPath } from '../../src/platform/project.js';
import { eventually } from '../support/eventually.js';
import { sendRaw, statusOf } from '../support/raw-http.js';

describe('the check for writable Galera nodes', () => {
  it('checks that overlap open one connection to a slow node', async () => {
    const opened: Socket[] = [];
    const node = createServer((socket) => opened.push(socket));
    await once(node.listen(0, '127.0.0.1'), 'listening');
    const port = await freePort();
    const check = spawn(
      process.execPath,
      [projectPath('docker/cluster/clustercheck.mjs'), `${port}`],
      {
        env: { DATABASE_URL: `mysql://app@127.0.0.1:${(node.address() as AddressInfo).port}` },
      },
    );
    try {
      const url = `http://127.0.0.1:${port}`;
      const twice = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(2);
      expect(statusOf(await eventually(() => sendRaw(url, twice)))).toBe(503);
      expect(opened).toHaveLength(1);
    } finally {
      check.kill();
      for (const socket of opened) socket.destroy();
      node.close();
    }
  });
});
