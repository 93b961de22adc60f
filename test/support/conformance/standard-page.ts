import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { projectPath } from '../../../src/platform/project.js';
import { GET_ASSERTION_CASES, MAKE_CREDENTIAL_CASES, NOT_AUTOMATED } from './every-case.js';

const PAGE = projectPath('docs/standard.md');
const MARK = '<!-- From here on the page is made by `npm run standard`. -->\n';
const IN_BROWSER = 'in the page and its browser: `sdk`';
/** The steps of W3C WebAuthn L3, and for steps without a test of their own the reason. */
const STEPS: Readonly<Record<string, readonly (string | readonly [string, string])[]>> = {
  '7.1': [
    ['the options of the registration', 'the begin call: `begin-registration`'],
    ['`navigator.credentials.create()`', IN_BROWSER],
    ['the response is an attestation response', IN_BROWSER],
    ['the results of client extensions', IN_BROWSER],
    'client data is UTF-8',
    'client data is JSON',
    '`type` is `webauthn.create`',
    'the challenge is the one of the options',
    'the origin is expected',
    'a frame of another origin is expected',
    '`topOrigin` is expected',
    'the hash of the client data',
    'the attestation object is CBOR',
    'the hash of the RP ID',
    'the user was present',
    'the user was verified, if required',
    'no backup without backup eligibility',
    'the backup eligibility, for policies',
    'the backup state, for policies',
    'the algorithm was offered',
    'the attestation format is known',
    'the attestation statement is correct',
    'the trust anchors of the model',
    'the attestation is trusted',
    'the credential ID has at most 1023 bytes',
    'the credential ID is not registered yet',
    'the record of the credential',
    'the results of extensions',
    'the credential is stored with the user',
  ],
  '7.2': [
    ['the options of the sign-in', 'the begin call: `begin-authentication`'],
    ['`navigator.credentials.get()`', IN_BROWSER],
    ['the response is an assertion', IN_BROWSER],
    ['the results of client extensions', IN_BROWSER],
    'the credential was offered',
    'the credential belongs to the user',
    'the three parts of the response',
    'client data is UTF-8',
    'client data is JSON',
    '`type` is `webauthn.get`',
    'the challenge is the one of the options',
    'the origin is expected',
    'a frame of another origin is expected',
    '`topOrigin` is expected',
    'the hash of the RP ID',
    'the user was present',
    'the user was verified, if required',
    'no backup without backup eligibility',
    'the backup eligibility is the registered one',
    'the hash of the client data',
    'the signature',
    'the signature counter',
    ['the results of extensions', 'the server decides nothing by them in a sign-in'],
    'the record of the credential is updated',
    'the user is signed in',
  ],
};

interface TestOfStep {
  readonly file: string;
  readonly title: string;
}

/** The tests whose title, or row of a table, ends in steps: `(WebAuthn L3 §7.1 steps 5–6)`. */
function testsOfSteps(): Map<string, TestOfStep[]> {
  const found = new Map<string, TestOfStep[]>();
  const files = ['src', 'test']
    .flatMap((folder) =>
      readdirSync(projectPath(folder), { recursive: true }).map((path) => `${folder}/${path}`),
    )
    .filter((path) => /(?:spec|suite)\.ts$/.test(path))
    .sort();
  for (const path of files) {
    for (const [, title = ''] of readFileSync(projectPath(path), 'utf8').matchAll(
      /'([^'\n]*WebAuthn L3 §7\.[12] steps? [^'\n]*\))'/g,
    )) {
      const file = basename(path).replace(/(?:\.(?:(?:e2e|proof)-)?spec|\.suite)\.ts$/, '');
      for (const step of stepsIn(title))
        found.set(step, [...(found.get(step) ?? []), { file, title }]);
    }
  }
  return found;
}

function stepsIn(title: string): string[] {
  return [...title.matchAll(/§(7\.[12]) steps? (\d+)(?:–(\d+))?/g)].flatMap(
    ([, section = '', first, last = first]) =>
      Array.from(
        { length: Number(last) - Number(first) + 1 },
        (_, n) => `${section} ${Number(first) + n}`,
      ),
  );
}

function stepTable(section: string, tests: ReadonlyMap<string, readonly TestOfStep[]>): string[] {
  const rows = (STEPS[section] ?? []).flatMap((step, index) => {
    const [what, reason] = typeof step === 'string' ? [step] : step;
    const those = tests.get(`${section} ${index + 1}`) ?? [];
    if (those.length === 0 && reason === undefined)
      throw new Error(`No test names §${section} step ${index + 1}: ${what}`);
    const cells = those.map(({ file, title }) => `\`${file}\`: ${withoutSteps(title)}`);
    return (reason === undefined ? cells : [reason]).map((cell, n) =>
      n === 0 ? `| ${index + 1} | ${what} | ${cell} |` : `| | | ${cell} |`,
    );
  });
  return ['| Step | What | Test |', '| -: | - | - |', ...rows, ''];
}

/** A title without the steps, which stand last in its brackets. */
const withoutSteps = (title: string): string =>
  title.replace(/(?: \(|(,) )WebAuthn L3 .*\)$/, (_, comma?: string) => (comma ? ')' : ''));

/** The titles that the suite writes itself, and those of its tables. */
function toolTitles(): string[] {
  const suite = readFileSync(projectPath('test/fido/conformance-tool.suite.ts'), 'utf8');
  const own = [...suite.matchAll(/it\('((?:MakeCredential|GetAssertion)[^'\n]+)'/g)].map(
    ([, title = '']) => title,
  );
  const [creating, getting] = ['MakeCredential', 'GetAssertion'].map((ceremony) =>
    own.filter((title) => title.startsWith(ceremony)),
  );
  const tables = [MAKE_CREDENTIAL_CASES, GET_ASSERTION_CASES].map((cases) =>
    cases.map(([title]) => title),
  );
  return [creating, tables[0], getting, tables[1]].flatMap((titles) => titles ?? []);
}

function toolTable(): string[] {
  const rows = toolTitles().map((title) => {
    const [id = '', ...outcome] = title.split(': ');
    return `| ${id} | ${outcome.join(': ').replaceAll('|', '\\|')} |`;
  });
  const without = Object.entries(NOT_AUTOMATED).map(
    ([id, reason]) => `| MakeCredential ${id} | no test: ${reason} |`,
  );
  return ['| Case | The test |', '| - | - |', ...rows, ...without, ''];
}

/** `docs/standard.md` as it should be: its own words, then the tables made from the tests. */
export async function standardPage(): Promise<string> {
  const [words = ''] = readFileSync(PAGE, 'utf8').split(MARK);
  const tests = testsOfSteps();
  const text = [
    `${words}${MARK}`,
    '## Registration: WebAuthn L3 §7.1\n',
    ...stepTable('7.1', tests),
    '## Sign-in: WebAuthn L3 §7.2\n',
    ...stepTable('7.2', tests),
    "## The cases of FIDO's conformance tool\n",
    'All are in `conformance-tool`. A code in brackets is that of the refusal.\n',
    ...toolTable(),
  ].join('\n');
  return format(text, { ...(await resolveConfig(PAGE)), parser: 'markdown' });
}
