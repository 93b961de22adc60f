import type { Page } from 'playwright-core';
import type { TestServer } from '../../support/test-server.js';

/** Registers a user on the demo page, with the virtual authenticator of the page. */
export async function registerOnDemo(
  page: Page,
  { url }: TestServer,
  username: string,
): Promise<void> {
  await page.goto(`${url}/demo`);
  await page.getByLabel('User name').fill(username);
  await page.getByRole('button', { name: 'Register', exact: true }).click();
  await page.getByText(`Registered for ${username}.`).waitFor();
}
