const LOOK_MS = 500;

/**
 * npm starts `npm start` by a shell. Told to end, npm tells the shell, and most shells end without telling the
 * server: once the shell has ended, this calls `end` again and again.
 */
export function endWithShell(end) {
  if (process.env.npm_lifecycle_event !== 'start') return;
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) end();
  }, LOOK_MS).unref();
}
