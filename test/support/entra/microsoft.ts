import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority } from '../../../packages/testing/src/certificate-writer.js';
import { pemOf } from '../../../packages/testing/src/pem.js';
import { projectPath } from '../../../src/platform/project.js';
import { listen } from '../listen.js';
import { receiverTls } from '../receiver-tls.js';
import { MICROSOFT, type EntraTenant } from './entra-tenant.js';

const PRELOADED = projectPath('test/support/entra/microsoft-nearby.mjs');

/** Microsoft's host on this machine, for servers in processes of their own. */
export class Microsoft {
  private readonly folder = mkdtempSync(join(tmpdir(), 'servicefido-test-'));
  private readonly authority = createAuthority('Authority of Microsoft');
  private readonly server;
  /** The environment of a server that finds the host here. */
  env: Readonly<Record<string, string>> = {};

  constructor(tenant: EntraTenant) {
    const tls = receiverTls({ by: this.authority, host: new URL(MICROSOFT).host });
    this.server = createServer(tls, (request, response) => {
      tenant.read(new URL(`${request.url}`, MICROSOFT)).then(
        (document) => response.end(JSON.stringify(document)),
        () => response.writeHead(404).end(),
      );
    });
  }

  async start(): Promise<void> {
    const file = join(this.folder, 'authority.pem');
    writeFileSync(file, pemOf(this.authority.certificate));
    this.env = {
      NODE_EXTRA_CA_CERTS: file,
      NODE_OPTIONS: `--import=${PRELOADED}`,
      MICROSOFT_PORT: String(await listen(this.server)),
    };
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
    rmSync(this.folder, { recursive: true });
  }
}
