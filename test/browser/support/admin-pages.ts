import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import { PASSWORD } from '../../support/accounts.js';
import { settle, type SettledUser } from '../../support/settled-users.js';
import { relyingPartyOf } from '../../support/rows.js';
import { ADMIN, TestServer, type ServerSettings } from '../../support/test-server.js';
import { complaintsOf, openBrowser, type SuiteBrowser } from './browser.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A page of the administration, and all browser errors since it was opened. */
export interface Opened {
  readonly page: Page;
  readonly complaints: readonly string[];
}

interface Settings extends BrowserContextOptions {
  /** An account of the accounts file; the first administrator, when absent. */
  readonly account?: string;
}

interface AdminServer extends ServerSettings {
  /** Users of the relying party `localhost`. */
  readonly users?: readonly (string | SettledUser)[];
}

/** Opens pages of the administration. Those of the same settings share a context, to be quick. */
export class AdminBrowser {
  private readonly contexts = new Map<string, Promise<BrowserContext>>();

  constructor(
    readonly browser: SuiteBrowser,
    readonly server: TestServer,
  ) {}

  /** Starts a server and a browser. */
  static async start({ users = [], ...settings }: AdminServer = {}): Promise<AdminBrowser> {
    const [server, browser] = await Promise.all([TestServer.start(settings), openBrowser()]);
    await settle(server, relyingPartyOf(server, 'localhost'), users);
    return new AdminBrowser(browser, server);
  }

  /** Closes the browser and stops the server. */
  async close(): Promise<void> {
    await this.browser.close();
    await this.server.stop();
  }

  async open(path: string, settings: Settings = {}): Promise<Opened> {
    const page = await (await this.contextOf(settings)).newPage();
    const complaints = complaintsOf(page);
    await page.goto(this.server.url + path);
    return { page, complaints };
  }

  private contextOf(settings: Settings): Promise<BrowserContext> {
    const key = JSON.stringify(settings);
    const known = this.contexts.get(key);
    if (known) return known;
    const { account, ...options } = settings;
    const username = account ?? ADMIN.user;
    const password = account ? PASSWORD : ADMIN.password;
    const context = this.signIn(options, { username, password });
    this.contexts.set(key, context);
    return context;
  }

  /** On the page, as accounts do; with `--console basic` the browser answers the prompt. */
  private async signIn(
    options: BrowserContextOptions,
    credentials: { readonly username: string; readonly password: string },
  ): Promise<BrowserContext> {
    const context = await this.browser.newContext(options);
    const page = await context.newPage();
    const shown = await page.goto(`${this.server.url}/console/sign-in?to=/getversion`);
    if (shown?.status() !== 200) {
      await context.close();
      // A context that answers prompts loads all files again for each page.
      return this.browser.newContext({ httpCredentials: credentials, ...options });
    }
    await page.fill('input[name="username"]', credentials.username);
    await page.fill('input[name="password"]', credentials.password);
    await page.press('input[name="password"]', 'Enter');
    await page.waitForURL(`${this.server.url}/getversion`);
    await page.close();
    return context;
  }
}

/** Presses a button, and waits for the page that it opens. */
export async function pressAndLoad(page: Page, name: string): Promise<void> {
  // A page that shows its button may still be loading: its end would be mistaken for that of the next one.
  await page.waitForLoadState();
  const button = page.getByRole('button', { name, exact: true });
  await Promise.all([page.waitForEvent('load'), button.click()]);
}

/**
 * Violations that axe rates serious or critical. Axe leaves traces in the page and in the console: check these before.
 *
 * @param rules only these rules; all, when absent
 */
export async function barriersOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  const violations = await violationsOf(page, rules);
  return named(violations.filter(({ impact }) => impact === 'serious' || impact === 'critical'));
}

/** The same with minor and moderate violations. */
export const flawsOf = async (page: Page): Promise<string[]> => named(await violationsOf(page));

/** The same with a check that axe omits by default: targets of 24 px (WCAG 2.2 §2.5.8). */
export const allFlawsOf = async (page: Page): Promise<string[]> =>
  named(await violationsOf(page, undefined, { 'target-size': { enabled: true } }));

const named = (violations: AxeResults['violations']): string[] =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));

/** One for each page: one that is detached takes the page's virtual authenticator with it. */
const sessions = new WeakMap<Page, Promise<CDPSession>>();

function openSession(page: Page): Promise<CDPSession> {
  const session = page.context().newCDPSession(page);
  sessions.set(page, session);
  return session;
}

async function violationsOf(
  page: Page,
  only?: readonly string[],
  rules: Readonly<Record<string, { enabled: boolean }>> = {},
): Promise<AxeResults['violations']> {
  // Colours in transition belong to no theme. On a page that is not drawn, transitions never end by themselves.
  await page.evaluate(`document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
    .forEach((animation) => animation.finish())`);
  // The page's policy forbids foreign scripts; the browser's own console may run them.
  const session = await (sessions.get(page) ?? openSession(page));
  // Once for each loaded page: to send and to compile axe takes as long as many of its checks.
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`)))
    await session.send('Runtime.evaluate', { expression: AXE });
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(${JSON.stringify({ resultTypes: ['violations'], preload: false, rules, ...(only && { runOnly: [...only] }) })})`,
  );
  return violations;
}

/** How far the page is wider than its window, once it has been laid out for a new size. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>(`new Promise((resolve) => {
    const { documentElement: root } = document;
    const measure = () => resolve(root.scrollWidth - root.clientWidth);
    requestAnimationFrame(() => requestAnimationFrame(measure));
  })`);
