/** Preloaded into a server (`--import`): appends the addresses of the modules that it loads to the file LOADED_FILES. */
import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, next) {
    appendFileSync(process.env.LOADED_FILES, `${url}\n`);
    return next(url, context);
  },
});
