/* Calls of the C library that fail on demand: preloaded into a process, it reads the file named by
 * FAULTS before each call, whose lines are
 *
 *     CALL ERROR SKIP TIMES PART
 *
 * A CALL on a path that has PART in it fails with ERROR, after SKIP that don't, TIMES times (0: as
 * long as the line stands; a changed file begins to count anew). ERROR is a number, 0 lets the
 * call go on. Each call that a line fits is written to the file FAULTS.seen: the call, the error,
 * the path.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#define LONGEST 4096
#define MOST_LINES 32

static char known[LONGEST];
static int used[MOST_LINES];

static void note(const char *call, int error, const char *path) {
    char name[LONGEST], line[LONGEST + 64];
    snprintf(name, sizeof name, "%s.seen", getenv("FAULTS"));
    int length = snprintf(line, sizeof line, "%s %d %s\n", call, error, path);
    int file = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file >= 0) {
        syscall(SYS_write, file, line, length);
        syscall(SYS_close, file);
    }
}

/* The error that a call on a path is to fail with, 0 for none. */
static int fault(const char *call, const char *path) {
    char plan[LONGEST] = "", *rest = NULL;
    const char *name = getenv("FAULTS");
    int file = name ? syscall(SYS_openat, AT_FDCWD, name, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return 0;
    int length = syscall(SYS_read, file, plan, sizeof plan - 1);
    syscall(SYS_close, file);
    if (length <= 0)
        return 0;
    if (strcmp(plan, known) != 0) {
        strcpy(known, plan);
        memset(used, 0, sizeof used);
    }
    int number = 0;
    for (char *line = strtok_r(plan, "\n", &rest); line && number < MOST_LINES;
         line = strtok_r(NULL, "\n", &rest), number++) {
        char of[64], part[LONGEST];
        int error, skip, times;
        if (sscanf(line, "%63s %d %d %d %4095s", of, &error, &skip, &times, part) != 5)
            continue;
        if (strcmp(of, call) != 0 || !strstr(path, part))
            continue;
        int before = __atomic_fetch_add(&used[number], 1, __ATOMIC_SEQ_CST);
        if (before < skip || (times && before >= skip + times))
            error = 0;
        note(call, error, path);
        if (error)
            return error;
    }
    return 0;
}

static int fault_of(const char *call, int descriptor) {
    char link[64], path[LONGEST];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    int length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length <= 0 || path[0] != '/')
        return 0;
    path[length] = 0;
    return fault(call, path);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define FAIL(error)                                                                                \
    do {                                                                                           \
        int e = (error);                                                                           \
        if (e) {                                                                                   \
            errno = e;                                                                             \
            return -1;                                                                             \
        }                                                                                          \
    } while (0)

int fsync(int fd) {
    FAIL(fault_of("fsync", fd));
    return REAL(fsync)(fd);
}

int fdatasync(int fd) {
    FAIL(fault_of("fsync", fd));
    return REAL(fdatasync)(fd);
}

ssize_t write(int fd, const void *data, size_t size) {
    FAIL(fault_of("write", fd));
    return REAL(write)(fd, data, size);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at) {
    FAIL(fault_of("write", fd));
    return REAL(pwrite64)(fd, data, size, at);
}

ssize_t read(int fd, void *data, size_t size) {
    FAIL(fault_of("read", fd));
    return REAL(read)(fd, data, size);
}

ssize_t pread64(int fd, void *data, size_t size, off64_t at) {
    FAIL(fault_of("read", fd));
    return REAL(pread64)(fd, data, size, at);
}

int ftruncate64(int fd, off64_t size) {
    FAIL(fault_of("truncate", fd));
    return REAL(ftruncate64)(fd, size);
}

int rename(const char *from, const char *to) {
    FAIL(fault("rename", to));
    return REAL(rename)(from, to);
}

int unlink(const char *path) {
    FAIL(fault("unlink", path));
    return REAL(unlink)(path);
}

int mkdir(const char *path, mode_t mode) {
    FAIL(fault("mkdir", path));
    return REAL(mkdir)(path, mode);
}

/* Told apart, because a read-only file system refuses only what would write. */
static const char *kind_of(int flags) {
    return (flags & O_ACCMODE) == O_RDONLY ? "open" : "create";
}

static mode_t mode_of(int flags, va_list more) {
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(more, mode_t) : 0;
}

#define OPENING(name)                                                                              \
    int name(const char *path, int flags, ...) {                                                   \
        va_list more;                                                                              \
        va_start(more, flags);                                                                     \
        mode_t mode = mode_of(flags, more);                                                        \
        va_end(more);                                                                              \
        FAIL(fault(kind_of(flags), path));                                                         \
        return REAL(name)(path, flags, mode);                                                      \
    }

OPENING(open)
OPENING(open64)
