import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Program } from '../program.mjs';

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
export class LockedContainer extends Program {
  /** @param log file that takes what it says */
  constructor(log) {
    super('unshare', log);
  }

  /**
   * Starts it, and waits until the server says that it is ready.
   *
   * @param container as {@link Buildah.container} answers
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

  /** Tells the first process to stop, as a container runtime does. @returns its exit code */
  async end() {
    if (!this.running) return this.exitCode;
    const first = readFileSync(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8').trim();
    process.kill(Number(first), 'SIGTERM');
    while (this.running) await pause(STEP_MS);
    return this.exitCode;
  }
}
