import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  chromium,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Page,
} from 'playwright-core';
import { projectPath } from '../../../src/platform/project.js';

/** Chromium takes the last `--disable-features` of a command line, so this list replaces Playwright's. */
const DISABLED_FEATURES = [
  // As in Playwright's list: an http address stays http; dialogs and redirects behave the same in each run.
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  // As in Playwright's list: a start sends no requests to servers of Google.
  'AimEnabled',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PreconnectToSearch',
  // Each window prepares processes for bars and pages that no test opens, which takes half of a test's CPU time.
  'PreloadTopChromeWebUI',
  'SpareRendererForSitePerProcess',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxPopup',
];

/** Far more than anything takes: a busy machine is slow too, and only a test that fails waits as long. */
const LIMIT_MS = 120_000;

const LAUNCH = {
  timeout: LIMIT_MS,
  executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
  args: [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    `--disable-features=${DISABLED_FEATURES.join(',')}`,
  ],
  // Widths of texts do not depend on the fonts of the machine.
  env: { ...process.env, FONTCONFIG_FILE: projectPath('test/browser/support/fonts/fonts.conf') },
};

/** Milliseconds by which answers reach pages later: a test that looks before the next page is there then fails. */
const LATENCY = Number(process.env['TEST_SLOW_PAGES'] ?? 0);

/** Names below `.test` lead to this machine, without HTTPS. */
const LOCAL_NAMES = '--host-resolver-rules=MAP *.test 127.0.0.1';
/** A page of its own process costs twice as much CPU time. Tests of several sites need processes as users have them. */
const ONE_PROCESS = ['--renderer-process-limit=1', '--disable-site-isolation-trials'];

/** The Chromium of this worker, and how many suites and files use it. */
let running: Promise<Browser> | undefined;
let users = 0;

/** The contexts of one suite in the Chromium that the suites of a file share. */
export class SuiteBrowser {
  private readonly contexts: BrowserContext[] = [];

  constructor(private readonly browser: Browser) {}

  async newContext(options?: BrowserContextOptions): Promise<BrowserContext> {
    const context = await this.browser.newContext(options);
    this.contexts.push(context);
    return context;
  }

  /** A page in a context of its own, which ends with the page. */
  async newPage(options?: BrowserContextOptions): Promise<Page> {
    const page = await this.browser.newPage(options);
    this.contexts.push(page.context());
    return page;
  }

  async close(): Promise<void> {
    await Promise.all(this.contexts.map((context) => context.close()));
    await release();
  }
}

/** Opens contexts for a suite whose pages are of one site. */
export async function openBrowser(): Promise<SuiteBrowser> {
  return new SuiteBrowser(await hold());
}

/** Starts Chromium once for all suites of the calling file: a start costs as much as five pages. */
export function shareBrowser(): void {
  beforeAll(hold);
  afterAll(release);
}

function hold(): Promise<Browser> {
  users += 1;
  running ??= openOwnBrowser(LOCAL_NAMES, ...ONE_PROCESS);
  return running;
}

async function release(): Promise<void> {
  users -= 1;
  if (users > 0) return;
  const unused = running;
  running = undefined;
  await (await unused)?.close();
}

/**
 * Starts a Chromium for one suite.
 *
 * @param args further arguments of the command line
 */
export async function openOwnBrowser(...args: string[]): Promise<Browser> {
  const browser = await chromium.launch({ ...LAUNCH, args: [...LAUNCH.args, ...args] });
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = patient(await newContext(options));
    return LATENCY === 0 ? context : withLatency(context);
  };
  return browser;
}

function patient(context: BrowserContext): BrowserContext {
  context.setDefaultTimeout(LIMIT_MS);
  return context;
}

function withLatency(context: BrowserContext): BrowserContext {
  const newPage = context.newPage.bind(context);
  const conditions = { offline: false, latency: LATENCY };
  const unlimited = { downloadThroughput: -1, uploadThroughput: -1 };
  context.newPage = async () => {
    const page = await newPage();
    const network = await context.newCDPSession(page);
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', { ...conditions, ...unlimited });
    return page;
  };
  return context;
}

/** A browser context with its own cookies and storage, and a function that closes it and its browser. */
export interface Profile {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/** Third-party cookies blocked, as Chromium does by default. */
export async function openUsualProfile(): Promise<Profile> {
  const browser = await openOwnBrowser();
  return { context: await browser.newContext(), close: () => browser.close() };
}

/** Third-party cookies allowed, which Chromium reads from a profile folder. */
export async function openPermissiveProfile(): Promise<Profile> {
  const folder = mkdtempSync(join(tmpdir(), 'servicefido-profile-'));
  mkdirSync(join(folder, 'Default'));
  const preferences = { profile: { cookie_controls_mode: 0 } };
  writeFileSync(join(folder, 'Default', 'Preferences'), JSON.stringify(preferences));
  const context = patient(await chromium.launchPersistentContext(folder, LAUNCH));
  const close = async () => {
    await context.close();
    // The browser's last processes may still be writing.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  return { context, close };
}

/** Collects the errors of a page: uncaught errors, CSP violations, failed loads. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  return complaints;
}
