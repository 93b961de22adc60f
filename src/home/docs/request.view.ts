import { randomUUID } from 'node:crypto';
import type { AnswerContent, Schema } from '../../platform/http/openapi/openapi-schemas.js';
import type {
  DescribedBody,
  InputChoice,
  DescribedInput,
  DescribedOperation,
  Parameter,
} from './described.js';

/** A call with the initial values of the form. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly inputs: readonly DescribedInput[];
  readonly body: DescribedBody | undefined;
  readonly security: DescribedOperation['security'];
}

/** Ways to authenticate in an example, the simplest first. */
const CURL_CREDENTIALS: readonly (readonly [scheme: string, option: string])[] = [
  ['servicefido', '-b cookies.txt'],
  ['', '-c cookies.txt'],
  ['basic', '-u admin'],
  ['bearer', "-H 'Authorization: Bearer sfk_…'"],
];

const BODY: Readonly<Record<DescribedBody['kind'], (body: DescribedBody) => string[]>> = {
  json: ({ type, value }) => [header('Content-Type', type), `-d ${quoted(oneLine(value))}`],
  text: ({ type }) => [header('Content-Type', type), '--data-binary @FILE'],
  file: () => ['-F file=@FILE'],
};

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const header = (name: string, value: string): string => `-H ${quoted(`${name}: ${value}`)}`;
const oneLine = (json: string): string => JSON.stringify(JSON.parse(json));

/** The call as a `curl` command; `$SERVER` is the server's address. */
function curlOf({ method, path, inputs, body, security = [] }: Call): string {
  const of = (place: DescribedInput['place']) =>
    inputs.filter((it) => it.place === place && it.value);
  const filled = of('path').reduce(
    (address, { name, value }) => address.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const query = of('query').map(({ name, value }): [string, string] => [name, value]);
  const search = new URLSearchParams(query).toString();
  const schemes = security.map((scheme) => Object.keys(scheme).join());
  const credentials = CURL_CREDENTIALS.find(([scheme]) => schemes.includes(scheme));
  return [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "$SERVER${filled}${search && `?${search}`}"`,
    ...(credentials ? [credentials[1]] : []),
    ...of('header').map(({ name, value }) => header(name, value)),
    ...(body ? BODY[body.kind](body) : []),
  ].join(' \\\n  ');
}

/** Domains of relying parties that can be named, most likely first. */
export type Domains = readonly string[];

const CREDENTIALS: Readonly<Record<string, readonly InputChoice[]>> = {
  servicefido: [{ value: 'browser', text: 'The session cookie of this browser' }],
  basic: [
    { value: 'browser', text: 'The account that this browser signs in with' },
    { value: 'basic', text: 'Another account: name and password' },
  ],
  bearer: [{ value: 'bearer', text: 'An application key' }],
};
const NOBODY: InputChoice = { value: 'browser', text: 'None' };

const RELYING_PARTY = 'X-ServiceFido-RelyingParty';

/**
 * The form that tries an operation, with initial values that make the first call valid, and the same call with `curl`
 * for readers without scripts.
 */
export function requestOf(operation: DescribedOperation, domains: Domains) {
  const { method, path, parameters = [], requestBody, security } = operation;
  const inputs = parameters.map((parameter) => inputOf(parameter, domains));
  const bodies = Object.entries(requestBody?.content ?? {})
    .map(bodyOf)
    .sort(jsonFirst);
  return {
    credentials: credentialsOf(security),
    inputs,
    bodies,
    severalBodies: bodies.length > 1,
    /** Whether trying it may change data on the server. */
    changes: method !== 'GET',
    curl: curlOf({ method, path, inputs, body: bodies[0], security }),
  };
}

/** The ways to authenticate; first those that the browser already has, for example its session. */
function credentialsOf(security: DescribedOperation['security'] = []): InputChoice[] {
  if (security.length === 0) return [NOBODY];
  const names = security.flatMap((one) =>
    Object.keys(one).length === 0 ? ['none'] : Object.keys(one),
  );
  const choices = names.flatMap((name) => CREDENTIALS[name] ?? [NOBODY]);
  return choices.sort((a, b) => Number(b.value === 'browser') - Number(a.value === 'browser'));
}

function inputOf(parameter: Parameter, domains: Domains): DescribedInput {
  const { name, in: place, required = false, description = '', example, schema } = parameter;
  const named = name === RELYING_PARTY || name === 'relyingParty';
  return {
    id: `${place}-${name}`,
    place,
    name,
    required,
    text: description,
    value: firstValue(parameter, domains),
    placeholder: textOf(example),
    choices: schema.enum && choicesOf(schema, required),
    likely: named && domains.length > 0 ? domains : undefined,
  };
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The initial value of a parameter: empty for an optional one, so that the first call is simple. */
function firstValue({ name, required, example }: Parameter, domains: Domains): string {
  if (name === RELYING_PARTY) return domains[0] ?? '';
  if (name === 'Idempotency-Key') return randomUUID();
  return required === true ? textOf(example) : '';
}

function choicesOf(schema: Schema, required: boolean): InputChoice[] {
  const choices = (schema.enum ?? []).map((value) => ({
    value: textOf(value),
    text: textOf(value),
  }));
  return required ? choices : [{ value: '', text: 'not sent' }, ...choices];
}

function bodyOf([type, { example }]: [string, AnswerContent]): DescribedBody {
  if (type === 'application/json') {
    return { type, kind: 'json', isFile: false, value: JSON.stringify(example ?? {}, null, 2) };
  }
  if (type !== 'multipart/form-data') {
    return { type, kind: 'text', isFile: false, value: textOf(example) };
  }
  const { file } = (example ?? {}) as { file?: unknown };
  return { type, kind: 'file', isFile: true, value: textOf(file) };
}

const jsonFirst = (a: DescribedBody, b: DescribedBody) =>
  Number(b.kind === 'json') - Number(a.kind === 'json');
