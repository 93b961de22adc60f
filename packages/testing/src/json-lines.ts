import {
  Authenticator,
  type AuthenticatorSettings,
  readCeremony,
  readSignIn,
} from './authenticator.js';
import { isObject } from './members.js';
import { type ModelMetadata, writeMetadata } from './metadata.js';
import { readCreationOptions, readRequestOptions } from './options.js';
import { type RunningServer, type ServerSettings, startServer } from './server.js';
import { testRoot } from './attester.js';

type Request = Readonly<Record<string, unknown>>;

const BYTE_ORDER_MARK = /^\uFEFF/;
const DEFAULT = 'default';

/**
 * Answers requests, one JSON object a line, with one line each: `{"result": …}`, or `{"error": {"name", "message"}}`,
 * with the `id` of the request if it has one. The server's docs/testing.md describes the requests.
 *
 * @param program file of the program that the request `startServer` starts
 * @returns at the end of the input, when the started servers have ended
 */
export async function answerLines(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  program: string,
): Promise<void> {
  const session = new Session(program);
  try {
    for await (const line of linesOf(input)) {
      if (line.trim() !== '') output.write(`${JSON.stringify(await session.answer(line))}\n`);
    }
  } finally {
    await session.end();
  }
}

/** The authenticators and servers of one caller. */
class Session {
  readonly #authenticators = new Map([[DEFAULT, new Authenticator()]]);
  readonly #servers: RunningServer[] = [];

  /** What each request does; its other members are the arguments. */
  readonly #requests: Readonly<Record<string, (request: Request) => unknown>> = {
    newAuthenticator: ({ name = DEFAULT, ...settings }) => {
      const made = new Authenticator(settings as AuthenticatorSettings);
      this.#authenticators.set(String(name), made);
      return { aaguid: made.aaguid };
    },
    create: ({ authenticator, options, ...ceremony }) =>
      this.#find(authenticator).create(readCreationOptions(options), readCeremony(ceremony)),
    get: ({ authenticator, options, ...ceremony }) =>
      this.#find(authenticator).get(readRequestOptions(options), readSignIn(ceremony)),
    testRoot: () => testRoot(),
    writeMetadata: ({ models }) => writeMetadata(models as readonly ModelMetadata[]),
    startServer: async (settings) => {
      const server = await startServer({ program: this.program, ...(settings as ServerSettings) });
      this.#servers.push(server);
      const { url, domain, key, adminPassword } = server;
      return { url, domain, key, adminPassword };
    },
  };

  constructor(private readonly program: string) {}

  async answer(line: string): Promise<object> {
    let id: unknown;
    try {
      const request = parse(line);
      const { do: name, id: ofRequest, ...rest } = request;
      id = ofRequest;
      return { id, result: await this.#requestOf(name)(rest) };
    } catch (error) {
      const { name, message } = error as Error;
      return { id, error: { name, message } };
    }
  }

  async end(): Promise<void> {
    await Promise.all(this.#servers.map((server) => server.stop()));
  }

  #requestOf(name: unknown) {
    const request = Object.hasOwn(this.#requests, String(name)) && this.#requests[String(name)];
    if (request) return request;
    const known = Object.keys(this.#requests).join(', ');
    throw new TypeError(`"do" must be one of ${known}.`);
  }

  #find(name: unknown = DEFAULT): Authenticator {
    const found = this.#authenticators.get(String(name ?? DEFAULT));
    if (found) return found;
    throw new TypeError(
      `There is no authenticator ${JSON.stringify(name)}: make it by newAuthenticator.`,
    );
  }
}

function parse(line: string): Request {
  let request: unknown;
  try {
    request = JSON.parse(line.replace(BYTE_ORDER_MARK, ''));
  } catch {
    // The message of JSON.parse is about a place in the text.
  }
  if (isObject(request)) return request;
  throw new TypeError('A request is a JSON object on one line, for example {"do":"testRoot"}.');
}

async function* linesOf(input: NodeJS.ReadableStream): AsyncGenerator<string> {
  let rest = '';
  for await (const part of input.setEncoding('utf8')) {
    const [first = '', ...lines] = String(part).split('\n');
    rest += first;
    for (const line of lines) {
      yield rest;
      rest = line;
    }
  }
  yield rest;
}
