import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const PATIENCE_MS = 120_000;
const STEP_MS = 50;

/** The exit code of a start whose root can be written to. */
const WRITABLE = 97;

/**
 * What a container runtime does with `--read-only --cap-drop ALL --security-opt no-new-privileges` and memory in the
 * place of /tmp and of volumes: namespaces of its own, but the network of this machine.
 */
const LOCK = `set -e
root=$1 user=$2 volumes=$3 workdir=$4
shift 4
mount --bind "$root" "$root"
mount -o remount,bind,ro "$root"
for folder in /tmp $volumes; do mount -t tmpfs -o mode=1777 tmpfs "$root$folder"; done
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
! touch "$root$workdir/written" 2>/dev/null || exit ${WRITABLE}
cd "$root$workdir"
exec chroot "$root" setpriv --reuid="\${user%:*}" --regid="\${user#*:}" --clear-groups --no-new-privs \
  --bounding-set=-all --inh-caps=-all env --chdir="$workdir" -i "$@"`;

/** The server of an image, as the image's configuration starts it, where it may do nothing that it need not. */
export class LockedContainer {
  #child;
  #output = '';

  /**
   * @param container as {@link Buildah.container} answers
   * @param env further environment, `NAME=value` each
   */
  constructor({ root, config }, env) {
    const { User: user, Volumes: volumes = {}, WorkingDir: workdir, Entrypoint: entry } = config;
    const place = [root, user, Object.keys(volumes).join(' '), workdir];
    const namespaces = ['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child'];
    const words = [
      ...namespaces,
      'sh',
      '-c',
      LOCK,
      'sh',
      ...place,
      ...config.Env,
      ...env,
      ...entry,
    ];
    this.#child = spawn('unshare', words, { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (this.#output += text));
    }
  }

  /** Waits until the server says that it is ready. */
  async ready() {
    const deadline = Date.now() + PATIENCE_MS;
    while (!/ready at http/.test(this.#output)) {
      if (this.#child.exitCode === WRITABLE) throw new Error('the root can be written to');
      if (this.#child.exitCode !== null || Date.now() > deadline) {
        throw new Error(`the image did not become ready:\n${this.#output}`);
      }
      await pause(STEP_MS);
    }
  }

  /** Tells the first process to stop, as a container runtime does. @returns its exit code */
  async stop() {
    if (this.#child.exitCode !== null) return this.#child.exitCode;
    const { pid } = this.#child;
    const first = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
    const ended = once(this.#child, 'exit');
    process.kill(Number(first), 'SIGTERM');
    const [code] = await ended;
    return code;
  }

  kill() {
    this.#child.kill('SIGKILL');
  }
}
