/* A node's clock that can jump: what Python takes for the time of day, moved by the nanoseconds in
 * the file $CHAOS_CLOCK. Only Python's own calls: libraries in C also wait for points of time, and
 * the kernel, which ends such a wait, does not know of the jump. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *shift;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("CHAOS_CLOCK");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return;
    void *page = mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (page != MAP_FAILED) shift = page;
}

/* Where it was called from, and behind that, in the lowest bit, whether that is Python's own code:
 * asking for it takes milliseconds in a library as large as TensorFlow, which asks for the time of
 * day thousands of times a second. */
static volatile uintptr_t known[4096];

static int looked_up(void *caller) {
    Dl_info found;
    if (!dladdr(caller, &found) || !found.dli_fname) return 0;
    const char *name = strrchr(found.dli_fname, '/');
    name = name ? name + 1 : found.dli_fname;
    return strncmp(name, "python", 6) == 0 || strncmp(name, "libpython", 9) == 0;
}

static int is_python(void *caller) {
    uintptr_t place = (uintptr_t)caller, noted = known[place % 4096];
    if (noted >> 1 != (place & (UINTPTR_MAX >> 1))) {
        noted = place << 1 | looked_up(caller);
        known[place % 4096] = noted;
    }
    return noted & 1;
}

int clock_gettime(clockid_t clock, struct timespec *at) {
    static int (*real)(clockid_t, struct timespec *);
    if (!real) real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int status = real(clock, at);
    if (status || clock != CLOCK_REALTIME || !shift || !*shift) return status;
    if (!is_python(__builtin_return_address(0))) return status;
    int64_t total = at->tv_sec * INT64_C(1000000000) + at->tv_nsec + *shift;
    at->tv_sec = total / INT64_C(1000000000);
    at->tv_nsec = total % INT64_C(1000000000);
    return 0;
}

time_t time(time_t *out) {
    struct timespec at;
    syscall(SYS_clock_gettime, CLOCK_REALTIME, &at);
    time_t now = at.tv_sec;
    if (shift && is_python(__builtin_return_address(0))) now += *shift / INT64_C(1000000000);
    if (out) *out = now;
    return now;
}
