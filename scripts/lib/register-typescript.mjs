import { register } from 'node:module';

/** For `node --import`: runs the project's TypeScript directly. */
register('./typescript-hooks.mjs', import.meta.url);
