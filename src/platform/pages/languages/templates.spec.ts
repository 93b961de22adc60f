import { readFileSync, readdirSync } from 'node:fs';
import hbs from 'hbs';
import { projectPath } from '../../project.js';

/** Templates that are always English: the API's description, and those not translated yet. */
const ENGLISH = new Set(['docs', 'docs-operation', 'partials/docs_shapes']);
/** Names that are the same in every language. */
const NAMES = /\b(?:ServiceFido|Service|Fido|FIDO2|UTC|CSV|JSON|AAGUIDs?|SHA-256|ms)\b|&\w+;/g;
/** Words of programs: values of options, algorithms, languages. */
const OF_PROGRAMS =
  /\b(?:preferred|required|discouraged|none|indirect|direct|(?:ES|RS|PS)\d+|EdDSA|TypeScript|Python|curl)\b/g;
/** Examples of input: addresses, fingerprints, a colour, a model. */
const EXAMPLES = /https:\S*|\S*example\.\w+|AB:CD:\S*|#[0-9a-f]{6}|YubiKey \d|\b[0-9a-f-]{36}\b/g;
/** Attributes that are read out or shown. */
const SPOKEN = /\b(?:title|alt|aria-label|placeholder|data-label)="([^"]*)"/g;
/** What an expression may contain: the key of a text, or a word that is not displayed. */
const NO_PROSE = /^(?:\/.*|[a-zA-Z]+:[\w.-]+|[a-z][\w/-]*)?$/;

interface Node {
  readonly type: string;
  readonly original?: string;
  readonly value?: string;
  readonly body?: readonly Node[];
  readonly program?: Node;
  readonly inverse?: Node;
  readonly params?: readonly Node[];
  readonly hash?: { readonly pairs: readonly { readonly key: string; readonly value: Node }[] };
}

const names = readdirSync(projectPath('views'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.hbs'))
  .map((file) => file.replace('.hbs', ''));

it.each(names.filter((name) => !ENGLISH.has(name)))(
  'the template %s contains no text in only one language',
  (name) => {
    expect(proseOf(readFileSync(projectPath(`views/${name}.hbs`), 'utf8'))).toEqual([]);
  },
);

it.each(names)('the template %s passes no value twice', (name) => {
  expect(repeatedIn(readFileSync(projectPath(`views/${name}.hbs`), 'utf8'))).toEqual([]);
});

it('the check finds a value that is passed twice at any depth', () => {
  const template = '{{#if x}}<p>{{t "a:b" n=(say c n=1 n=2)}} {{t "a:c" n=1 m=2}}</p>{{/if}}';
  expect(repeatedIn(template)).toEqual(['n']);
});

it('the list of English templates names only existing ones', () => {
  expect([...ENGLISH].filter((name) => !names.includes(name))).toEqual([]);
});

it('the check finds prose in a template', () => {
  const template =
    '<p title="{{t "a:b"}}">{{#if x}}Hello{{/if}} <code>ok</code></p>{{> n title="No"}}';
  expect(proseOf(template)).toEqual(['Hello', 'No']);
});

/** The contents of a template outside all expressions. */
function contentOf({ type, original, body, program, inverse }: Node): string {
  return type === 'ContentStatement'
    ? (original ?? '')
    : [...(body ?? []), program, inverse].map((one) => (one ? contentOf(one) : '')).join('');
}

/** A node and all below it. */
function nodesOf(node: Node): Node[] {
  const { body = [], program, inverse, params = [], hash } = node;
  const below = [
    ...body,
    program,
    inverse,
    ...params,
    ...(hash?.pairs ?? []).map((pair) => pair.value),
  ];
  return [node, ...below.flatMap((one) => (one ? nodesOf(one) : []))];
}

/** The texts in the expressions of a template. */
function literalsOf(template: Node): string[] {
  return nodesOf(template).flatMap(({ type, value }) =>
    type === 'StringLiteral' ? [value ?? ''] : [],
  );
}

/** Values that an expression of a template receives twice: only the last one counts. */
function repeatedIn(template: string): string[] {
  return nodesOf(hbs.handlebars.parse(template) as Node).flatMap(({ hash }) => {
    const keys = (hash?.pairs ?? []).map(({ key }) => key);
    return keys.filter((key, place) => keys.indexOf(key) < place);
  });
}

/** The parts of a template that are prose in one language. */
function proseOf(template: string): string[] {
  const parsed = hbs.handlebars.parse(template) as Node;
  const html = contentOf(parsed).replaceAll(/<(code|kbd)>.*?<\/\1>/g, '');
  const spoken = [...html.matchAll(SPOKEN)].map(([, text = '']) => text);
  const texts = html.split(/<[^>]*>/).map((text) => text.trim());
  return [
    ...[...spoken, ...texts].filter((text) =>
      /\p{L}{2}/u.test(
        text.replaceAll(EXAMPLES, '').replaceAll(OF_PROGRAMS, '').replaceAll(NAMES, ''),
      ),
    ),
    ...literalsOf(parsed).filter((text) => !NO_PROSE.test(text)),
  ];
}
