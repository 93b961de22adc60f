const LOOK_MS = 500;

/**
 * npm runs `npm start` through a shell. When npm receives a signal, it signals the shell, and most shells end
 * without passing it on to the server: once the shell has ended, this calls `end` repeatedly.
 */
export function endWithShell(end) {
  if (process.env.npm_lifecycle_event !== 'start') return;
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) end();
  }, LOOK_MS).unref();
}
