import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Program } from '../program.mjs';

const PATIENCE_MS = 120_000;
const STEP_MS = 50;

/** The exit code of a start with a writable root. */
const WRITABLE = 97;

/**
 * Does the same as a container runtime with `--read-only --cap-drop ALL --security-opt no-new-privileges` and tmpfs
 * for /tmp and volumes: separate namespaces, but the network of this machine.
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

/** The server of an image, started as the image's configuration says, with minimal privileges. */
export class LockedContainer extends Program {
  /** @param log file for its output */
  constructor(log) {
    super('unshare', log);
  }

  /**
   * Starts it, and waits until the server reports that it is ready.
   *
   * @param container the result of {@link Buildah.container}
   * @param env further environment, `NAME=value` each
   */
  async start({ root, config }, env) {
    const { User: user, Volumes: volumes = {}, WorkingDir: workdir, Entrypoint: entry } = config;
    const place = [root, user, Object.keys(volumes).join(' '), workdir];
    const namespaces = ['--mount', '--pid', '--ipc', '--uts', '--fork', '--kill-child'];
    const words = ['sh', '-c', LOCK, 'sh', ...place, ...config.Env, ...env, ...entry];
    super.start([...namespaces, ...words]);
    await this.until(() => /ready at http/.test(this.said), 'the image', PATIENCE_MS).catch(
      (error) => {
        throw this.exitCode === WRITABLE ? new Error('the root can be written to') : error;
      },
    );
  }

  /** Stops the first process, as a container runtime does. @returns its exit code */
  async end() {
    if (!this.running) return this.exitCode;
    const first = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').trim();
    process.kill(Number(first), 'SIGTERM');
    while (this.running) await pause(STEP_MS);
    return this.exitCode;
  }
}
