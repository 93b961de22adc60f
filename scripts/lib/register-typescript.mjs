import { register } from 'node:module';

/** For `node --import`: runs TypeScript of the project as it stands. */
register('./typescript-hooks.mjs', import.meta.url);
