/*
 * Notes what a program writes to its SQLite database, and which of it it synced, so that a power
 * loss can be played afterwards: see test/support/crash/disk.ts.
 *
 *   cc -shared -fPIC -O2 -o journal.so journal.c -ldl
 *   LD_PRELOAD=journal.so POWER_LOSS_DATABASE=FILE POWER_LOSS_JOURNAL=FILE program
 *
 * A record is four 64-bit numbers in the machine's byte order (what, which file, offset, length),
 * and for a write its bytes. It is appended once the call has succeeded and before the program
 * hears of it: a sync that the program knows of is in the journal.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { WRITE = 1, TRUNCATE = 2, SYNC = 3 };
enum { NOT_OURS = 0, DATABASE = 1, WAL = 2 };

static int journal = -1;
static const char *database;

__attribute__((constructor)) static void begin(void) {
  const char *path = getenv("POWER_LOSS_JOURNAL");
  database = getenv("POWER_LOSS_DATABASE");
  if (path && database) journal = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
}

static int file_of(int fd) {
  char link[32], path[4096];
  if (journal < 0 || fd == journal) return NOT_OURS;
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return NOT_OURS;
  path[length] = 0;
  size_t stem = strlen(database);
  if (strncmp(path, database, stem) != 0) return NOT_OURS;
  if (path[stem] == 0) return DATABASE;
  return strcmp(path + stem, "-wal") == 0 ? WAL : NOT_OURS;
}

static void note(int fd, int64_t what, int64_t offset, const void *bytes, int64_t length) {
  int64_t head[4] = {what, file_of(fd), offset, length};
  struct iovec parts[2] = {{head, sizeof head}, {(void *)bytes, bytes ? (size_t)length : 0}};
  if (head[1] != NOT_OURS && writev(journal, parts, 2) < 0) abort();
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t offset) {
  ssize_t written = REAL(pwrite64)(fd, bytes, length, offset);
  if (written > 0) note(fd, WRITE, offset, bytes, written);
  return written;
}

int ftruncate64(int fd, off64_t length) {
  int failed = REAL(ftruncate64)(fd, length);
  if (!failed) note(fd, TRUNCATE, length, NULL, 0);
  return failed;
}

int fsync(int fd) {
  int failed = REAL(fsync)(fd);
  if (!failed) note(fd, SYNC, 0, NULL, 0);
  return failed;
}

int fdatasync(int fd) {
  int failed = REAL(fdatasync)(fd);
  if (!failed) note(fd, SYNC, 0, NULL, 0);
  return failed;
}
