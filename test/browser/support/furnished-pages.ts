import { startIssuer } from '../../support/oidc-issuer.js';
import type { TestServer } from '../../support/test-server.js';
import { AdminBrowser } from './admin-pages.js';
import { openBrowser, type SuiteBrowser } from './browser.js';
import { everyPage, type PageState } from './every-page.js';
import { furnish } from './furniture.js';

/** A server with content on every page, and a browser that is signed in there. */
export class FurnishedPages {
  readonly admin: AdminBrowser;

  private constructor(
    readonly server: TestServer,
    private readonly browser: SuiteBrowser,
    readonly states: readonly PageState[],
  ) {
    this.admin = new AdminBrowser(browser, server);
  }

  static async open(): Promise<FurnishedPages> {
    const options = { aaguid: true, entra: true, mds: ['upload'], registration: 'ticket' } as const;
    const [server, browser] = await Promise.all([startIssuer({ options }), openBrowser()]);
    return new FurnishedPages(server, browser, everyPage(await furnish(server)));
  }

  async close(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
  }
}
