// Waits of C++ and C with a time limit, as a library that a benchmark file links or loads. Old C libraries have several versions of
// the functions behind them.

#include <chrono>
#include <condition_variable>
#include <errno.h>
#include <mutex>
#include <pthread.h>
#include <semaphore.h>
#include <thread>
#include <time.h>

namespace {

// Words around the condition, which nothing may change.
struct Shared {
    unsigned long before = 0x1111;
    std::mutex mutex;
    std::condition_variable condition;
    bool is_ready = false;
    unsigned long after = 0x2222;
};

template <typename Clock> bool is_signalled() {
    Shared shared;
    std::thread other([&] {
        std::lock_guard<std::mutex> lock(shared.mutex);
        shared.is_ready = true;
        shared.condition.notify_one();
    });
    auto end = Clock::now() + std::chrono::seconds(5);
    auto status = std::cv_status::no_timeout;
    {
        std::unique_lock<std::mutex> lock(shared.mutex);
        while (!shared.is_ready && status == std::cv_status::no_timeout) {
            status = shared.condition.wait_until(lock, end);
        }
    }
    other.join();
    return status == std::cv_status::no_timeout && Clock::now() < end && shared.before == 0x1111
        && shared.after == 0x2222;
}

template <typename Clock> bool reaches_limit() {
    Shared shared;
    auto end = Clock::now() + std::chrono::milliseconds(1);
    std::unique_lock<std::mutex> lock(shared.mutex);
    while (shared.condition.wait_until(lock, end) == std::cv_status::no_timeout) {
    }
    return Clock::now() >= end && shared.before == 0x1111 && shared.after == 0x2222;
}

bool waits_in_c() {
    timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    sem_t semaphore;
    sem_init(&semaphore, 0, 0);
    bool is_passed = sem_timedwait(&semaphore, &end) == -1 && errno == ETIMEDOUT;
    sem_destroy(&semaphore);
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    pthread_mutex_lock(&mutex);
    is_passed &= pthread_cond_timedwait(&condition, &mutex, &end) == ETIMEDOUT;
    pthread_mutex_unlock(&mutex);
    return is_passed && pthread_cond_destroy(&condition) == 0;
}

}

// Returns the number of the first wait that went wrong, and 0 if none did.
extern "C" int wait_in_cpp() {
    bool passed[] = {
        is_signalled<std::chrono::steady_clock>(),
        is_signalled<std::chrono::system_clock>(),
        reaches_limit<std::chrono::steady_clock>(),
        reaches_limit<std::chrono::system_clock>(),
        waits_in_c(),
    };
    int number = 0;
    for (bool is_passed : passed) {
        number++;
        if (!is_passed) {
            return number;
        }
    }
    return 0;
}
