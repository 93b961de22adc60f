import { FormTokens } from '../../src/platform/access/form-token.js';
import type { AccountRole } from '../../src/platform/config/files/accounts-file.js';
import { clientOf } from './accounts.js';
import { adminClient, type Answer, type Client } from './client.js';
import { ADMIN, type TestServer } from './test-server.js';

type Fields = Readonly<Record<string, string | readonly string[]>>;

interface Sender {
  readonly name?: string;
  readonly role?: AccountRole;
  readonly headers?: Readonly<Record<string, string>>;
  /** A client that keeps the banner for the next page; otherwise a new one of the account. */
  readonly client?: Client;
}

/** Sends a form of the console as the browser of an account does, with its form token. */
export function sendForm(
  server: TestServer,
  path: string,
  fields: Fields,
  {
    name = ADMIN.user,
    role = 'admin',
    headers = {},
    client = clientFor(server, name),
  }: Sender = {},
): Promise<Answer> {
  const formToken = server.get(FormTokens).issue({ name, role });
  const pairs = Object.entries({ ...fields, formToken }).flatMap(([field, value]) =>
    [value].flat().map((one): [string, string] => [field, one]),
  );
  return client.send(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'Mozilla/5.0',
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
    body: new URLSearchParams(pairs).toString(),
  });
}

const clientFor = ({ url }: TestServer, name: string): Client =>
  name === ADMIN.user ? adminClient(url) : clientOf(url, name);
