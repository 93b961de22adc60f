import { defineConfig } from 'eslint/config';
import prettier from 'eslint-config-prettier';
import { createTypeScriptImportResolver } from 'eslint-import-resolver-typescript';
import { importX } from 'eslint-plugin-import-x';
import tseslint from 'typescript-eslint';

/** Rooms in the order of their arrows: a room may import from those named before it, never after it. */
const FLOOR = [
  'errors',
  'config',
  'logging',
  'webauthn',
  'validation',
  'common',
  'database',
  'ledger',
  'security',
  'http',
  'presentation',
  'audit',
];
const FEATURES = [
  'tenancy',
  'credentials',
  'trust',
  'fido',
  'user-admin',
  'billing',
  'health',
  'pages',
];

/** What a feature may import besides the floor and itself. */
const ARROWS = {
  tenancy: [],
  credentials: ['tenancy'],
  trust: ['tenancy', 'credentials'],
  fido: ['tenancy', 'trust', 'credentials'],
  'user-admin': ['tenancy', 'trust', 'credentials'],
  billing: ['tenancy', 'credentials'],
  health: ['tenancy', 'trust', 'fido'],
  // The dashboard shows what is counted for invoices: counting ten million events anew takes too long.
  pages: ['tenancy', 'trust', 'credentials', 'fido', 'billing', 'health'],
};

const zones = [
  // The WebAuthn core is pure: it knows no other room.
  { target: './src/webauthn', from: './src', except: ['./webauthn'] },
  { target: './src/errors', from: './src', except: ['./errors'] },
  ...FLOOR.map((room) => ({
    target: `./src/${room}`,
    from: FEATURES.map((feature) => `./src/${feature}`),
    message: `${room} is the floor: it imports no feature.`,
  })),
  ...Object.entries(ARROWS).map(([room, allowed]) => ({
    target: `./src/${room}`,
    from: FEATURES.filter((other) => other !== room && !allowed.includes(other)).map(
      (other) => `./src/${other}`,
    ),
    message: `${room} may import only the floor${allowed.map((name) => `, ${name}`).join('')}.`,
  })),
];

export default defineConfig(
  { ignores: ['dist', 'coverage', 'data', 'node_modules'] },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strict],
    languageOptions: { parserOptions: { ecmaVersion: 2023, sourceType: 'module' } },
    plugins: { 'import-x': importX },
    settings: { 'import-x/resolver-next': [createTypeScriptImportResolver()] },
    rules: {
      'import-x/no-cycle': 'error',
      'import-x/no-restricted-paths': ['error', { zones }],
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      '@typescript-eslint/consistent-type-imports': 'off',
      'max-params': ['error', 5],
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/**/*.spec.ts', 'src/main.ts', 'src/cli/**'],
    rules: { 'no-console': 'error' },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/validation/body.pipe.ts', 'src/database/**'],
    rules: {
      '@typescript-eslint/no-restricted-imports': [
        'error',
        {
          name: '@nestjs/common',
          importNames: ['Body'],
          message: 'CheckedBody holds the body against the rules of its DTO.',
        },
        {
          name: '@nestjs/swagger',
          allowTypeImports: true,
          message: 'http/openapi.ts has its decorators without loading it at each start.',
        },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector: 'CallExpression[callee.property.name=/^(?:save|transaction)$/]',
          message: 'What several statements write passes Database.commit.',
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts', 'src/**/*.spec.ts'],
    ignores: ['test/support/authenticator/key-pair.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          name: 'node:crypto',
          importNames: ['generateKeyPairSync', 'generateKeyPair'],
          message:
            'Keys just made can freeze Node 20: generateKeys of key-pair.ts reads them again.',
        },
      ],
    },
  },
  prettier,
);
