import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';
import { projectPath } from '../../src/platform/project.js';
import { OPTIONS, flagName } from '../../src/platform/config/server-options.js';
import { ENGLISH } from '../../src/platform/errors/languages/en.js';
import { CATALOGUE } from '../../src/platform/errors/catalogue.js';
import { COMMANDS } from '../../src/cli/commands.js';
import { ROLES } from '../../src/platform/config/files/accounts-file.js';
import {
  PERMISSIONS,
  KEY_PERMISSIONS,
  may,
  type Permission,
} from '../../src/platform/access/permissions.js';
import { ADMIN_ENDPOINTS } from '../support/admin-endpoints.js';
import { POLICY_MEMBERS, policyMembers } from '../../src/tenancy/policy/policy.js';

const DOCS = readdirSync(projectPath('docs')).filter((name) => name.endsWith('.md'));
const PAGES = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...DOCS.map((name) => `docs/${name}`),
];

/** The paths of files that the reader makes, or that belong to another project. */
const MADE_UP = [
  'src/webauthn/attestation/NAME.ts',
  'views/name.hbs',
  'views/languages/it.json',
  'src/lib/server',
];

const page = (path: string) => readFileSync(projectPath(path), 'utf8');

/** Cells of the row of a page's table whose first cell is this. */
function row(text: string, first: string): string[] | undefined {
  const line = text.split('\n').find((other) => other.startsWith(`| ${first} `));
  return line?.split('|').map((cell) => cell.trim());
}

const inSources = (pattern: RegExp) =>
  readdirSync(projectPath('src'), { recursive: true })
    .map((path) => `src/${path}`)
    .filter((path) => path.endsWith('.ts'))
    .flatMap((path) => [...page(path).matchAll(pattern)]);

describe('docs/architecture.md', () => {
  it('docs/architecture.md lists each job, and those that have a lease', () => {
    const JOB = /^export class (\w+) extends (RecurringJob|LeasedJob|ExpiryJob|BufferedWrites)\b/gm;
    const jobs = inSources(JOB).map(
      ([, name, base = '']) => `${name} ${/^(?:Leased|Expiry)Job$/.test(base) ? 'lease' : ''}`,
    );
    const rows = page('docs/architecture.md').matchAll(
      /^\| `(\w+)`(?: \(`--\w+`\))? +\| (own|lease|row) +\|/gm,
    );
    const listed = [...rows].map(([, name, kind]) => `${name} ${kind === 'lease' ? kind : ''}`);
    expect(listed.toSorted()).toEqual([...jobs, 'Accounts '].toSorted());
  });

  it('docs/architecture.md lists each parameter decorator', () => {
    const DECORATOR =
      /^export const (\w+) = (?:fromRequest|createParamDecorator|\(\) => Param)\(/gm;
    const decorators = inSources(DECORATOR).map(([, name]) => name);
    const rows = page('docs/architecture.md').matchAll(/^\| `@(\w+)\(\)` +\|/gm);
    expect([...rows].map(([, name]) => name).toSorted()).toEqual(decorators.toSorted());
  });
});

describe('docs/errors.md', () => {
  it('docs/errors.md lists every code with its status and sentence', () => {
    const listed = Object.keys(CATALOGUE).map((code) =>
      row(page('docs/errors.md'), code)?.slice(1, 4),
    );
    const expected = Object.entries(CATALOGUE).map(([code, [status, reason]]) => [
      code,
      String(status),
      ENGLISH[reason],
    ]);
    expect(listed).toEqual(expected);
  });

  it('docs/errors.md lists every reason with its sentence', () => {
    const text = page('docs/errors.md');
    const unlisted = Object.entries(ENGLISH).filter(
      ([reason, sentence]) => !text.includes(`\n${reason}: ${sentence}\n`),
    );
    expect(unlisted).toEqual([]);
  });
});

describe('docs/options.md', () => {
  it('docs/options.md lists every option with its meaning', () => {
    const listed = Object.keys(OPTIONS).map(
      (name) => row(page('docs/options.md'), `\`--${flagName(name)}\``)?.[3],
    );
    expect(listed).toEqual(Object.values(OPTIONS).map(([, meaning]) => meaning));
  });

  it('the example configuration contains every option and no other', () => {
    const example = readFileSync(projectPath('config/servicefido.example.yaml'), 'utf8');
    const keys = Object.keys(parse(example) as object);
    const names = Object.keys(OPTIONS).map(flagName);
    expect(keys.filter((key) => !names.includes(key))).toEqual([]);
    expect(names.filter((name) => !new RegExp(`^(# )?${name}:`, 'm').test(example))).toEqual([]);
  });
});

describe('docs/administration.md', () => {
  it('docs/administration.md lists the permissions of roles and application keys', () => {
    const listed = Object.values(PERMISSIONS).map(({ says }) =>
      row(page('docs/administration.md'), says)?.slice(1, ROLES.length + 2),
    );
    const expected = Object.entries(PERMISSIONS).map(([permission, line]) => [
      line.says,
      ...ROLES.slice(1).map((role) => (may({ role }, permission as Permission) ? 'yes' : '')),
      'ofKeys' in line ? `\`${line.ofKeys}\`` : '',
    ]);
    expect(listed).toEqual(expected);
  });
});

describe('docs/week.md', () => {
  it('docs/week.md lists each context of the log', () => {
    const code = textOfFolder('src');
    const contexts = [
      ...code.matchAll(/new Logger\((\w+)\.name\)/g),
      ...code.matchAll(/Logger\.(?:log|warn|error)\([^;]*?, '?(\w+)(?:\.name)?'?,?\s*\);/g),
    ].map(([, name = '']) => name);
    expect(new Set(contexts).size).toBeGreaterThan(25);
    expect(contexts.filter((name) => !page('docs/week.md').includes(`\`${name}\``))).toEqual([]);
  });
});

describe('docs/trust.md', () => {
  it('docs/trust.md has a row for every member of a policy', () => {
    const missing = Object.keys(POLICY_MEMBERS).filter(
      (name) => !row(page('docs/trust.md'), `\`${name}\``),
    );
    expect(missing).toEqual([]);
  });
});

/** The names in the first sentence of a page that begins with these words. */
const namesAfter = (text: string, begin: string): Set<string | undefined> => {
  const sentence =
    text.slice(text.indexOf(begin) + begin.length).split(/\.\s|, with the values/)[0] ?? '';
  return new Set([...sentence.matchAll(/`(\w+)`/g)].map(([, name]) => name));
};

const membersThat = (are: (member: (typeof policyMembers)[number][1]) => boolean) =>
  new Set(policyMembers.flatMap(([name, member]) => (are(member) ? [name] : [])));

describe('docs/profiles.md', () => {
  it('docs/profiles.md lists the rules that profiles may replace', () => {
    expect(namesAfter(page('docs/profiles.md'), '`rules` may contain')).toEqual(
      membersThat(({ inProfiles }) => inProfiles),
    );
  });
});

describe('docs/keys.md', () => {
  it('docs/keys.md lists the members of a policy that applications may not change', () => {
    expect(namesAfter(page('docs/keys.md'), '`policy:write` cannot change')).toEqual(
      membersThat(({ byApplications }) => !byApplications),
    );
  });

  it('docs/keys.md names each call of a key in the row of its permission', () => {
    // The form of a page does the same as a call that is named.
    const calls = ADMIN_ENDPOINTS.filter(({ path }) => !path.endsWith('/invite'));
    const missing = calls.filter(({ method, path, permission }) => {
      const named = row(page('docs/keys.md'), `\`${permission}\``)?.at(2) ?? '';
      return permission && !calledPaths(named, method).some((called) => called.test(path));
    });
    expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  });

  it('docs/keys.md lists every permission', () => {
    const missing = KEY_PERMISSIONS.filter((name) => !row(page('docs/keys.md'), `\`${name}\``));
    expect(missing).toEqual([]);
  });
});

/** The paths that a text names for a method or for all, each with those below it. A part in capitals is any part. */
const calledPaths = (text: string, method: string): RegExp[] =>
  [...text.matchAll(/`(?:([A-Z]+) )?(\/[^\s`]+)`/g)]
    .filter(([, named = method]) => named === method)
    .map(([, , path = '']) => new RegExp(`^${path.replace(/[A-Z]+/g, '[^/]+')}(?:[/?]|$)`));

/** Lines of code below a folder, without those that are blank or contain only a comment. */
function linesOfCode(folder: string): number {
  const lines = readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !['node_modules', '.next', '__pycache__'].includes(name))
    .flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (entry.isDirectory()) return linesOfCode(path);
      if (!/\.(?:m?js|jsx|py|html)$/.test(entry.name)) return 0;
      const text = readFileSync(path, 'utf8').split('\n');
      return text.filter((line) => !/^\s*(?:$|\/\/|\/?\*|#)/.test(line)).length;
    });
  return lines.reduce((sum, count) => sum + count, 0);
}

describe('commands', () => {
  const files = [
    ...PAGES,
    ...['examples', 'packages'].flatMap((folder) =>
      readdirSync(projectPath(folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `${folder}/${name}/README.md`),
    ),
    ...readdirSync(projectPath('views/languages')).map((name) => `views/languages/${name}`),
    'src/platform/errors/languages/en.ts',
  ].filter((path) => existsSync(projectPath(path)));
  const first = new Set(Object.keys(COMMANDS).map((name) => name.split(' ')[0]));
  const bare = new RegExp(
    `(?<![\\w/=])servicefido (?:${[...first].join('|')})(?![\\w-])|node dist/main`,
  );

  it.each(files)('%s calls commands as ./servicefido', (path) => {
    const lines = page(path)
      .split('\n')
      .filter((line) => bare.test(line));
    expect(lines).toEqual([]);
  });
});

describe('addresses in examples', () => {
  it.each([
    ...PAGES,
    'packages/browser/README.md',
    'packages/node/README.md',
    'packages/testing/README.md',
  ])('%s says that the address of the examples is to be replaced', (path) => {
    const text = page(path);
    const needsWord = text.includes('https://fido.example.com');
    expect(text.includes('replace `https://fido.example.com`')).toBe(needsWord);
  });
});

describe('examples/README.md', () => {
  const examples = readdirSync(projectPath('examples'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);

  it.each(examples)('examples/README.md names %s, which has at most 140 lines of code', (name) => {
    expect(page('examples/README.md')).toContain(`[${name}](${name}/README.md)`);
    expect(linesOfCode(projectPath(`examples/${name}`))).toBeLessThanOrEqual(140);
  });
});

describe('the documentation', () => {
  it('docs/README.md lists each page', () => {
    const index = page('docs/README.md');
    const missing = DOCS.filter((name) => name !== 'README.md' && !index.includes(`](${name})`));
    expect(missing).toEqual([]);
  });

  it('README.md has at most 150 lines', () => {
    expect(page('README.md').split('\n').length).toBeLessThanOrEqual(150);
  });

  it.each(PAGES)('%s links only to existing pages and headings', (name) => {
    const text = page(name).replace(/^```[^]*?^```/gm, '');
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    const broken = links.filter(([, path = '', anchor]) => {
      const target = path === '' ? name : join(dirname(name), path);
      return (
        !existsSync(projectPath(target)) || (anchor !== undefined && !headings(target).has(anchor))
      );
    });
    expect(broken.map(([link]) => link)).toEqual([]);
  });

  it.each(PAGES)('%s names only files and folders that exist', (name) => {
    const text = page(name).replace(/^```[^]*?^```/gm, '');
    const folders = 'bench|config|deploy|docker|docs|examples|packages|scripts|src|test|views';
    const quoted = text.matchAll(new RegExp(`\`((?:${folders})/[\\w./-]+)\``, 'g'));
    const missing = [...quoted]
      .map(([, path = '']) => path)
      .filter((path) => !existsSync(projectPath(path)) && !MADE_UP.includes(path));
    expect(missing).toEqual([]);
  });

  it.each(['CONTRIBUTING.md', 'docs/architecture.md'])(
    '%s names only what exists in the code',
    (name) => {
      const code = new Set(['src', 'test', 'scripts'].map(textOfFolder).flatMap(namesIn));
      const text = page(name).replace(/^```[^]*?^```/gm, '');
      const words = [...text.matchAll(/`[^`]+`/g)].flatMap(([quoted]) => namesIn(quoted));
      expect(words.filter((word) => !code.has(word))).toEqual([]);
    },
  );
});

/** Names of several words: `findVisible`, `PageView`, `POLICY_MEMBERS`. */
const namesIn = (text: string): readonly string[] =>
  text.match(/\b(?:[A-Za-z]+[a-z][A-Z]\w*|[A-Z]+_[A-Z_]+)\b/g) ?? [];

const textOfFolder = (folder: string): string =>
  readdirSync(projectPath(folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.m?ts$|\.mjs$/.test(file))
    .map((file) => page(`${folder}/${file}`))
    .join('\n');

/** The anchors of a page's headings, as the readers of repositories make them. */
const headings = (name: string): Set<string> =>
  new Set(
    [...page(name).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replace(/\s/g, '-'),
    ),
  );
