import type { BrowserClient } from '../browser-client.js';

/** Signs in at the provider, and returns the address of the console to which it sends the browser, unopened. */
export async function answerFor(client: BrowserClient, begin: string): Promise<string> {
  let address = new URL(begin, client.url).href;
  for (;;) {
    const location = (await client.fetch(address)).header('location');
    if (location === undefined) throw new Error(`${address} does not lead on`);
    address = new URL(location, address).href;
    if (address.startsWith(`${client.url}/console/oidc/callback`)) return address;
  }
}
