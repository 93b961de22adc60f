import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { projectPath } from '../../../src/platform/project.js';
import { freePort } from '../server-process.js';

const PROGRAM = projectPath('test/support/oidc/provider.mjs');
const CLIENT = { id: 'servicefido', secret: 'a secret of the client' };

export const CLIENT_ID = CLIENT.id;

/** The user whom the provider signs in. */
export interface ProviderUser {
  readonly sub: string;
  readonly preferred_username?: string | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly amr?: readonly string[];
  readonly acr?: string;
}

/** An OpenID provider in a process of its own, and the file with which a console uses it. */
export class ProviderProcess {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly port: number,
    /** Origin of the console. */
    private readonly console: string,
  ) {}

  /** @param consolePort at which the console will listen */
  static async start(consolePort: number): Promise<ProviderProcess> {
    const provider = new ProviderProcess(await freePort(), `http://localhost:${consolePort}`);
    await provider.restart();
    return provider;
  }

  get issuer(): string {
    return `http://localhost:${this.port}`;
  }

  /** Starts it, or starts it again: then it has new keys, and knows no session and no token. */
  async restart(): Promise<void> {
    await this.stop();
    this.child = spawn(process.execPath, [PROGRAM, `${this.port}`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    if (this.child.stdout) await once(this.child.stdout, 'data');
    await this.changeClient({});
  }

  /** Changes the metadata of the console at the provider; `undefined` removes a member. */
  async changeClient(changes: object): Promise<void> {
    const metadata = {
      client_id: CLIENT.id,
      client_secret: CLIENT.secret,
      redirect_uris: [`${this.console}/console/oidc/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
      backchannel_logout_uri: `${this.console}/console/oidc/backchannel-logout`,
      backchannel_logout_session_required: true,
    };
    await this.set({ clients: [{ ...metadata, ...changes }] });
  }

  async stop(): Promise<void> {
    const { child } = this;
    this.child = undefined;
    if (!child || child.exitCode !== null) return;
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
  }

  /** Changes the state of the program; returns the ID of its last session, its grants, and how often it was asked. */
  set(state: object): Promise<{
    sid: string;
    grants: Readonly<Record<string, number>>;
    tokenRequests: number;
  }> {
    return this.call('state', state);
  }

  signInAs(user: ProviderUser): Promise<unknown> {
    return this.set({ user: { amr: ['pwd'], ...user }, users: {} });
  }

  async rotateKeys(): Promise<void> {
    await this.call('rotate', {});
  }

  /** @param claims replace those of a valid token; `null` omits one */
  async logoutToken(claims: object): Promise<string> {
    const { token } = await this.call<{ token: string }>('logout-token', claims);
    return token;
  }

  /** Writes the file of `--console-oidc`. */
  file(changes: object = {}): string {
    const file = join(mkdtempSync(join(tmpdir(), 'servicefido-test-')), 'console-oidc.yaml');
    const settings = {
      name: 'Example Login',
      issuer: this.issuer,
      address: this.console,
      client: { id: CLIENT.id, secret: CLIENT.secret },
      groups: [
        { group: 'fido-admins', role: 'admin' },
        { group: 'fido-helpdesk', role: 'helpdesk', tenants: ['acme'] },
        { group: 'fido-strict', role: 'auditor', secondFactor: true },
      ],
      proofs: { acr: ['phr'], amr: ['mfa'] },
      ...changes,
    };
    writeFileSync(file, stringify(settings));
    return file;
  }

  private async call<T>(name: string, body: object): Promise<T> {
    const init = { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${this.issuer}/_test/${name}`, init);
    return (await answer.json()) as T;
  }
}
