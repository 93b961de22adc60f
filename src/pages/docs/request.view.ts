import { randomUUID } from 'node:crypto';
import type { AnswerContent, Schema } from '../../platform/http/openapi/openapi-schemas.js';
import type { DescribedOperation, Parameter } from './described.js';

interface InputChoice {
  readonly value: string;
  readonly text: string;
}

type Input = ReturnType<typeof inputOf>;
type Body = ReturnType<typeof bodyOf>;

/** Ways to authenticate in an example, the simplest first. */
const CURL_CREDENTIALS: readonly (readonly [scheme: string, option: string])[] = [
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

/** The call with the initial values of the form, as a `curl` command; `$SERVER` is the server's address. */
function curlOf(
  { method, path, security = [] }: DescribedOperation,
  inputs: readonly Input[],
  body: Body | undefined,
): string {
  const of = (place: Input['place']) => inputs.filter((it) => it.place === place && it.value);
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
  const { method, parameters = [], requestBody, security } = operation;
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
    curl: curlOf(operation, inputs, bodies[0]),
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

function inputOf(parameter: Parameter, domains: Domains) {
  const { name, in: place, required = false, description = '', example, schema } = parameter;
  const named = name === RELYING_PARTY || name === 'relyingParty';
  return {
    id: `${place}-${name}`,
    place,
    name,
    required,
    text: description,
    /** Its initial value; with the initial values the call is valid. */
    value: firstValue(parameter, domains),
    placeholder: textOf(example),
    choices: schema.enum && choicesOf(schema, required),
    /** Likely values; others are possible. */
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

/** The kind of a body says how it is entered: JSON and plain text in a text field, a file by selecting it. */
function bodyOf([type, { example }]: [string, AnswerContent]) {
  if (type === 'application/json') {
    return { type, kind: 'json' as const, value: JSON.stringify(example ?? {}, null, 2) };
  }
  if (type !== 'multipart/form-data') {
    return { type, kind: 'text' as const, value: textOf(example) };
  }
  const { file } = (example ?? {}) as { file?: unknown };
  return { type, kind: 'file' as const, isFile: true, value: textOf(file) };
}

const jsonFirst = (a: Body, b: Body) => Number(b.kind === 'json') - Number(a.kind === 'json');
