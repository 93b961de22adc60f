import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK']));

/** The CPU time so far, in seconds, of a process and its descendants. Reads Linux's /proc. */
export function cpuSeconds(pid) {
  return family(pid).reduce((sum, member) => sum + ticks(member), 0) / TICKS_PER_SECOND;
}

/** The peak memory of a process and its descendants, in MiB. */
export function peakMemory(pid) {
  const peak = (member) => /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${member}/status`, 'utf8'))[1];
  return family(pid).reduce((sum, member) => sum + Number(peak(member)), 0) / 1024;
}

function family(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').match(/\d+/g),
  );
  return [pid, ...children.filter((child) => child !== null).flatMap(family)];
}

/** proc(5): user and system time, and those of ended children, are fields 14 to 17. */
function ticks(pid) {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
}
