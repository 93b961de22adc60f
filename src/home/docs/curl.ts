import type { Body, Input, Operation } from './described.js';

/** A call with the form's first values. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly inputs: readonly Input[];
  readonly body: Body | undefined;
  readonly security: Operation['security'];
}

/** Ways to authenticate in an example, the simplest first. */
const CREDENTIALS: readonly (readonly [scheme: string, option: string])[] = [
  ['servicefido', '-b cookies.txt'],
  ['', '-c cookies.txt'],
  ['basic', '-u admin'],
  ['bearer', "-H 'Authorization: Bearer sfk_…'"],
];

const BODY: Readonly<Record<Body['kind'], (body: Body) => string[]>> = {
  json: ({ type, value }) => [header('Content-Type', type), `-d ${quoted(oneLine(value))}`],
  text: ({ type }) => [header('Content-Type', type), '--data-binary @FILE'],
  file: () => ['-F file=@FILE'],
};

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const header = (name: string, value: string): string => `-H ${quoted(`${name}: ${value}`)}`;
const oneLine = (json: string): string => JSON.stringify(JSON.parse(json));

/** The call as a `curl` command; `$SERVER` is the server's address. */
export function curlOf({ method, path, inputs, body, security = [] }: Call): string {
  const of = (place: Input['place']) => inputs.filter((it) => it.place === place && it.value);
  const filled = of('path').reduce(
    (address, { name, value }) => address.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const query = of('query').map(({ name, value }): [string, string] => [name, value]);
  const search = new URLSearchParams(query).toString();
  const schemes = security.map((scheme) => Object.keys(scheme).join());
  const credentials = CREDENTIALS.find(([scheme]) => schemes.includes(scheme));
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$SERVER${filled}${search && `?${search}`}"`,
    ...(credentials ? [credentials[1]] : []),
    ...of('header').map(({ name, value }) => header(name, value)),
    ...(body ? BODY[body.kind](body) : []),
  ].join(' \\\n  ');
}
