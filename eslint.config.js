import { defineConfig } from 'eslint/config';
import prettier from 'eslint-config-prettier';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import { importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/** Rooms below the features, in order: each may import those named before it. */
const FLOOR = [
  'webauthn',
  'platform/errors',
  'platform/common',
  'platform/validation',
  'platform/config',
  'platform/telemetry',
  'platform/logging',
  'platform/database',
  'platform/http',
  'platform/access',
  'platform/pages',
  'events',
  'audit',
];
const FEATURES = [
  'accounts',
  'tenancy',
  'batches',
  'users',
  'trust',
  'invitations',
  'fido',
  'user-admin',
  'scim',
  'webhooks',
  'billing',
  'adoption',
  'health',
  'pages',
  'issuers',
  'oidc',
  'entra',
];

/** What a feature may import besides the floor and itself. */
const ARROWS = {
  accounts: ['tenancy'],
  tenancy: [],
  batches: ['tenancy'],
  users: ['tenancy'],
  trust: ['tenancy', 'batches', 'users'],
  invitations: ['tenancy', 'users'],
  fido: ['tenancy', 'trust', 'users', 'invitations'],
  // An erasure deletes the tickets of the user.
  'user-admin': ['tenancy', 'batches', 'trust', 'users', 'invitations', 'fido'],
  scim: ['tenancy', 'users', 'invitations'],
  webhooks: ['tenancy'],
  billing: ['tenancy', 'users'],
  // Invoices count the registrations of each month; the keys that still exist say less.
  adoption: ['tenancy', 'trust', 'users', 'billing'],
  health: ['tenancy', 'trust', 'fido', 'webhooks'],
  // The dashboard shows the counts of the invoices: counting ten million events again takes too long.
  pages: ['tenancy', 'trust', 'users', 'fido', 'webhooks', 'billing', 'health', 'invitations'],
  issuers: ['tenancy', 'fido', 'pages'],
  oidc: ['tenancy', 'users', 'fido', 'issuers'],
  entra: ['tenancy', 'users', 'fido', 'issuers'],
};

/** Decorators of handlers' parameters that a caller sends, and pipes that validate them with a class. */
const SENT = '/^(?:Body|Query)$/';
const PIPED = "[arguments.0.name=/DtoPipe$/], [arguments.0.callee.name='FormPipe']";
const NO_CLASS =
  "TSUnknownKeyword, TSAnyKeyword, TSObjectKeyword, TSUnionType, TSTypeReference[typeName.name='Record']";

const path = (room) => `./src/${room}`;

/** A room and the rooms that it must not import. The message names the `allowed` ones. */
const wall = (room, others, allowed) => ({
  target: path(room),
  from: others.map(path),
  message: `${room} may import only ${allowed.join(', ') || 'itself'}.`,
});

const zones = [
  ...FLOOR.map((room, place) =>
    wall(room, [...FLOOR.slice(place + 1), ...FEATURES, 'cli'], FLOOR.slice(0, place)),
  ),
  ...Object.entries(ARROWS).map(([room, allowed]) =>
    wall(
      room,
      [...FEATURES.filter((other) => other !== room && !allowed.includes(other)), 'cli'],
      ['the floor', ...allowed],
    ),
  ),
];

const SQL_TEMPLATE =
  'TemplateLiteral > TemplateElement[value.raw=/^\\s*(?:SELECT|INSERT|UPDATE|DELETE|REPLACE) /]';

/** A `?` where SQL has a parameter. */
const POSITION = String.raw`/(?:^|[\s(,=<>])\?(?:$|[\s),])/`;

/** Members packed into a spread only to save lines. */
const PACKED_MEMBERS = {
  selector: 'ObjectExpression > SpreadElement > ObjectExpression',
  message: 'Write the members themselves, one a line.',
};

/** What a condition decides must be read. */
const UNREAD_OUTCOME = {
  selector: ['name', 'property.name']
    .map((name) => `[callee.object.${name}='database'][callee.property.name='commit']`)
    .map((call) => `ExpressionStatement > AwaitExpression > CallExpression${call}`)
    .join(', '),
  message: 'Read the outcome, or store a unit without a condition: Database.store.',
};

export default defineConfig(
  { ignores: ['**/dist', '**/.next', 'coverage', 'data', '**/node_modules'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strict],
    languageOptions: { parserOptions: { ecmaVersion: 2023, sourceType: 'module' } },
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [createTypeScriptImportResolver()] },
    rules: {
      'import-x/no-restricted-paths': ['error', { zones }],
      'import-x/order': [
        'error',
        { groups: ['builtin', ['external', 'internal'], 'parent', ['sibling', 'index']] },
      ],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      'no-duplicate-imports': 'error',
      // A constructor may take seven providers: folding one into its only user is simpler than a class between them.
      'max-params': ['error', 7],
      'no-nested-ternary': 'error',
      'no-sequences': 'error',
      'no-restricted-syntax': ['error', PACKED_MEMBERS],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/**/*.spec.ts', 'src/main.ts', 'src/server.ts', 'src/cli/**'],
    rules: { 'no-console': 'error' },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/platform/database/**', 'src/**/*.statements.ts'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          name: '@nestjs/swagger',
          allowTypeImports: true,
          message:
            'platform/http/openapi/openapi.ts has its decorators without loading it at each start.',
        },
      ],
      'no-restricted-syntax': [
        'error',
        PACKED_MEMBERS,
        UNREAD_OUTCOME,
        {
          selector: 'CallExpression[callee.property.name=/^(?:save|transaction)$/]',
          message: 'What several statements write passes Database.commit.',
        },
        {
          selector: `Decorator > CallExpression[callee.name=${SENT}]:not(:matches(${PIPED}))`,
          message: 'What is sent is held against the validators of its DTO: @Body(DtoPipe).',
        },
        {
          selector: `[decorators.0.expression.callee.name=${SENT}] > TSTypeAnnotation > :matches(${NO_CLASS})`,
          message: 'The type of what is sent names the class that has its validators.',
        },
        {
          selector: 'Decorator > CallExpression[callee.name=/^Req(?:uest)?$/]',
          message: 'A handler says what it takes: a DTO, @CurrentRp(), @CurrentCall().',
        },
        ...['Literal[value=/^\\s*(?:SELECT|INSERT|UPDATE|DELETE|REPLACE) /]', SQL_TEMPLATE].map(
          (selector) => ({
            selector,
            message: 'SQL stands in *.statements.ts, made from the entities by tableOf.',
          }),
        ),
      ],
    },
  },
  {
    files: ['src/**/*.statements.ts', 'src/platform/database/**/*.ts'],
    ignores: ['src/**/*.spec.ts', 'src/platform/database/statement.ts', '**/migrations/**'],
    rules: {
      'no-restricted-syntax': [
        'error',
        PACKED_MEMBERS,
        UNREAD_OUTCOME,
        ...['Literal[value=POSITION]', 'TemplateElement[value.raw=POSITION]'].map((selector) => ({
          selector: selector.replace('POSITION', POSITION),
          message: 'A statement takes its parameters by name: sql<Params, Row>(…).',
        })),
      ],
    },
  },
  {
    files: ['src/webauthn/**/*.ts'],
    ignores: ['src/**/*.spec.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@nestjs/*', 'express', 'typeorm', 'rxjs', 'node:http', 'node:fs'],
              message: 'The core is pure: bytes in, a verdict out.',
            },
          ],
        },
      ],
    },
  },
  prettier,
);
