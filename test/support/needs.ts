import { existsSync } from 'node:fs';
import { projectPath } from '../../src/platform/project.js';
import { findProgram } from '../../scripts/lib/services/programs.mjs';
import { EVERY_DATABASE, REDIS_URL } from './databases.js';

const IS_AT_HAND = {
  MariaDB: EVERY_DATABASE.includes('MariaDB'),
  Redis: REDIS_URL !== undefined,
  /** To start instances that a suite freezes and kills. */
  'mariadbd and redis-server':
    findProgram('mariadbd', 'mysqld') !== undefined &&
    findProgram('redis-server', 'valkey-server') !== undefined,
  nginx: findProgram('nginx') !== undefined,
  curl: findProgram('curl') !== undefined,
  kubectl: findProgram('kubectl') !== undefined,
  python3: findProgram('python3') !== undefined,
  java: findProgram('java') !== undefined,
  /** This and the next are read when they are asked for, since the file that needs them installs them. */
  get 'the tools in config/openapi'(): boolean {
    return existsSync(projectPath('config/openapi/node_modules/orval'));
  },
  get 'the frameworks in config/frameworks'(): boolean {
    return existsSync(projectPath('config/frameworks/node_modules/vite'));
  },
  /** On a system that can load a library before others. */
  'C compiler': process.platform === 'linux' && findProgram('cc', 'gcc', 'clang') !== undefined,
};

/** `describe`, or `describe.skip` where something is missing: the end of the run then names the file. */
export const describeWith = (...needs: readonly (keyof typeof IS_AT_HAND)[]): jest.Describe =>
  needs.every((need) => IS_AT_HAND[need]) ? describe : describe.skip;
