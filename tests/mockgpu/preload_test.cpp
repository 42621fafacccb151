// SPDX-License-Identifier: MIT
// The preload library in real child processes: this program runs itself again with LD_PRELOAD set.
#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <libdrm/amdgpu_drm.h>
#include <linux/dma-buf.h>
#include <linux/kfd_ioctl.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <thread>

extern char** environ;

namespace {

namespace fs = std::filesystem;

const char* const kKfd = "/dev/kfd";
const char* const kNodes = "/sys/devices/virtual/kfd/kfd/topology/nodes";

// ---- What runs inside the child: a minimal client of the driver, in plain C calls. ----

int check(bool ok, const char* what) {
  if (!ok) {
    fprintf(stderr, "child: %s (errno %d)\n", what, errno);
    _exit(1);
  }
  return 0;
}

int read_number(const char* path) {
  FILE* file = fopen(path, "r");
  int number = -1;
  if (file && fscanf(file, "%d", &number) != 1) number = -1;
  if (file) fclose(file);
  return number;
}

std::set<std::string> list(const char* path) {
  std::set<std::string> names;
  DIR* directory = opendir(path);
  if (!directory) return names;
  while (const dirent* entry = readdir(directory)) {
    if (entry->d_name[0] != '.') names.insert(entry->d_name);
  }
  closedir(directory);
  return names;
}

struct Client {
  int kfd = -1, drm = -1;
  uint32_t gpu = 0;
  explicit Client(int index = 0) {
    kfd = open(kKfd, O_RDWR | O_CLOEXEC);
    drm = open(("/dev/dri/renderD" + std::to_string(128 + index)).c_str(), O_RDWR | O_CLOEXEC);
    check(kfd >= 0 && drm >= 0, "open");
    const std::string id = std::string(kNodes) + "/" + std::to_string(index + 1) + "/gpu_id";
    gpu = static_cast<uint32_t>(read_number(id.c_str()));
    kfd_ioctl_acquire_vm_args acquire{gpu, static_cast<uint32_t>(drm)};
    acquire.gpu_id = gpu;
    acquire.drm_fd = static_cast<uint32_t>(drm);
    check(ioctl(kfd, AMDKFD_IOC_ACQUIRE_VM, &acquire) == 0, "ACQUIRE_VM");
  }
  uint8_t* alloc(size_t size, uint64_t* handle = nullptr) {
    void* reserved =
        mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    kfd_ioctl_alloc_memory_of_gpu_args args{};
    args.va_addr = reinterpret_cast<uint64_t>(reserved);
    args.size = size;
    args.gpu_id = gpu;
    args.flags = KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE;
    check(ioctl(kfd, AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, &args) == 0, "ALLOC");
    if (handle) *handle = args.handle;
    void* mapped = mmap(reserved, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, drm,
                        static_cast<off_t>(args.mmap_offset));
    check(mapped == reserved, "mmap");
    kfd_ioctl_map_memory_to_gpu_args map{};
    map.handle = args.handle;
    map.device_ids_array_ptr = reinterpret_cast<uint64_t>(&gpu);
    map.n_devices = 1;
    check(ioctl(kfd, AMDKFD_IOC_MAP_MEMORY_TO_GPU, &map) == 0 && map.n_success == 1, "MAP");
    return static_cast<uint8_t*>(mapped);
  }
  // Submits dwords to a new SDMA queue and waits for `done` to become non-zero (or not).
  bool run_sdma(const std::vector<uint32_t>& words, const uint8_t* done, int milliseconds = 10000) {
    uint8_t* ring = alloc(4096);
    uint8_t* pointers = alloc(256);
    memcpy(ring, words.data(), words.size() * 4);
    kfd_ioctl_create_queue_args queue{};
    queue.ring_base_address = reinterpret_cast<uint64_t>(ring);
    queue.ring_size = 4096;
    queue.read_pointer_address = reinterpret_cast<uint64_t>(pointers);
    queue.write_pointer_address = reinterpret_cast<uint64_t>(pointers + 8);
    queue.gpu_id = gpu;
    queue.queue_type = KFD_IOC_QUEUE_TYPE_SDMA;
    queue.queue_percentage = 100;
    check(ioctl(kfd, AMDKFD_IOC_CREATE_QUEUE, &queue) == 0, "CREATE_QUEUE");
    __atomic_store_n(reinterpret_cast<uint64_t*>(pointers + 8), words.size() * 4, __ATOMIC_RELEASE);
    for (int i = 0; i < milliseconds * 5; ++i) {
      if (__atomic_load_n(done, __ATOMIC_ACQUIRE)) return true;
      usleep(200);
    }
    return false;
  }
  bool copy_works() {
    uint8_t* from = alloc(64);
    uint8_t* to = alloc(64);
    memset(from, 0x5a, 64);
    const auto f = reinterpret_cast<uint64_t>(from), t = reinterpret_cast<uint64_t>(to);
    return run_sdma({1, 63, 0, static_cast<uint32_t>(f), static_cast<uint32_t>(f >> 32),
                     static_cast<uint32_t>(t), static_cast<uint32_t>(t >> 32)},
                    to + 63) &&
           to[0] == 0x5a;
  }
};

void child_paths() {
  check(list(kNodes) == std::set<std::string>{"0", "1", "2"}, "topology listing");
  check(list("/sys/class/kfd/kfd/topology/nodes").size() == 3, "class link");
  check(list("/dev/dri").contains("renderD129"), "render nodes");
  check(list("/sys//devices/./virtual/kfd/kfd/topology/nodes/0/..").size() == 3, "odd spelling");
  struct stat info{};
  check(stat(kKfd, &info) == 0 && S_ISCHR(info.st_mode), "stat of the device");
  check(lstat("/dev/dri/renderD128", &info) == 0 && info.st_rdev == makedev(226, 128), "lstat");
  check(stat("/dev/dri/renderD140", &info) != 0 && errno == ENOENT, "no such card");
  check(stat((std::string(kNodes) + "/9").c_str(), &info) != 0 && errno == ENOENT, "no such node");
  check(access(kKfd, R_OK | W_OK) == 0 && access(kKfd, X_OK) != 0, "access");
  const int fd = open(kKfd, O_RDWR | O_CLOEXEC);
  check(fd >= 0 && fstat(fd, &info) == 0 && S_ISCHR(info.st_mode), "fstat");
  check(open(kKfd, O_RDONLY | O_DIRECTORY) < 0 && errno == ENOTDIR, "no directory");
  char buffer[4096];
  check(realpath("/sys/class/kfd/kfd/topology", buffer) &&
            std::string(buffer) == "/sys/devices/virtual/kfd/kfd/topology",
        "realpath");
  check(readlink("/sys/class/kfd/kfd", buffer, sizeof buffer) > 0, "readlink");
  const int directory = open(kNodes, O_RDONLY | O_DIRECTORY);
  const int file = openat(directory, "1/gpu_id", O_RDONLY);
  check(directory >= 0 && file >= 0 && read(file, buffer, 16) > 1, "openat below the tree");
  check(open("/dev/null", O_RDONLY) >= 0 && stat("/dev/null", &info) == 0, "other paths untouched");
}

void child_descriptors() {
  Client client;
  const int copy = fcntl(client.kfd, F_DUPFD_CLOEXEC, 100);
  kfd_ioctl_get_version_args version{};
  check(ioctl(copy, AMDKFD_IOC_GET_VERSION, &version) == 0 && version.major_version == 1, "dup");
  close(client.kfd);
  const int reused = open("/dev/null", O_RDWR);
  check(ioctl(reused, AMDKFD_IOC_GET_VERSION, &version) < 0 && errno == ENOTTY,
        "a reused number is not the device");
  check(ioctl(copy, _IOWR('K', 0x7e, int), &version) < 0 && errno == ENOTTY, "unknown ioctl");
  check(ioctl(copy, AMDKFD_IOC_GET_VERSION, nullptr) < 0 && errno == EFAULT, "bad pointer");
}

void child_copies() {
  check(Client(0).copy_works(), "copy on device 0");
  check(Client(1).copy_works(), "copy on device 1");
}

void child_fork() {
  Client parent;
  check(parent.copy_works(), "copy before fork");
  const pid_t pid = fork();
  if (pid == 0) {
    kfd_ioctl_get_version_args version{};
    check(ioctl(parent.kfd, AMDKFD_IOC_GET_VERSION, &version) < 0 && errno == EBADF,
          "the parent's descriptor in the child");
    check(Client().copy_works(), "copy in the child");
    _exit(0);
  }
  int status = 1;
  check(waitpid(pid, &status, 0) == pid && status == 0, "the child of the fork");
  check(list(kNodes).size() == 3, "the tree survives the child");
  check(parent.copy_works(), "copy after fork");
}

void child_vfork() {
  // What Python's subprocess does when the program is not there: _exit in memory that is the parent's.
  Client client;
  check(client.copy_works(), "copy before vfork");
  const pid_t pid = vfork();
  if (pid == 0) {
    execl("/nonexistent/program", "program", nullptr);
    _exit(127);
  }
  int status = 0;
  check(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 127, "the child of the vfork");
  check(list(kNodes).size() == 3, "the tree survives the child");
  check(client.copy_works(), "copy after vfork");
}

void child_fork_while_busy() {
  // Forks from a process whose other threads are inside the driver.
  Client client;
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    while (!stop) {
      kfd_ioctl_get_version_args version{};
      ioctl(client.kfd, AMDKFD_IOC_GET_VERSION, &version);
      list(kNodes);
    }
  });
  for (int i = 0; i < 8; ++i) {
    const pid_t pid = fork();
    if (pid == 0) _exit(list(kNodes).size() == 3 && Client().copy_works() ? 0 : 1);
    int status = 1;
    waitpid(pid, &status, 0);
    check(status == 0, "fork in a busy process");
  }
  stop = true;
  busy.join();
}

void child_fault() {
  Client client;
  uint8_t* done = client.alloc(64);
  kfd_ioctl_create_event_args event{};
  event.event_type = KFD_IOC_EVENT_MEMORY;
  check(ioctl(client.kfd, AMDKFD_IOC_CREATE_EVENT, &event) == 0, "CREATE_EVENT");
  std::thread waiter([&] {
    kfd_event_data data{};
    data.event_id = event.event_id;
    kfd_ioctl_wait_events_args wait{};
    wait.events_ptr = reinterpret_cast<uint64_t>(&data);
    wait.num_events = 1;
    wait.timeout = 5000;
    check(ioctl(client.kfd, AMDKFD_IOC_WAIT_EVENTS, &wait) == 0, "WAIT_EVENTS");
    check(
        data.memory_exception_data.va == 0x1000 && data.memory_exception_data.gpu_id == client.gpu,
        "memory exception");
  });
  const auto d = reinterpret_cast<uint64_t>(done);
  std::thread([&] {
    check(!client.run_sdma({0x30005, 0x1000, 0, 1, 0x30005, static_cast<uint32_t>(d),
                            static_cast<uint32_t>(d >> 32), 1},
                           done, 300),
          "completion after a fault");
  }).join();
  waiter.join();
}

// One descriptor with one message, as programs hand buffers to each other.
void send_descriptor(int socket, int fd) {
  char byte = 0, control[CMSG_SPACE(sizeof fd)] = {};
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  memcpy(CMSG_DATA(header), &fd, sizeof fd);
  check(sendmsg(socket, &message, 0) == 1, "sendmsg");
}

int receive_descriptor(int socket) {
  char byte, control[CMSG_SPACE(sizeof(int))] = {};
  iovec data{&byte, 1};
  msghdr message{};
  message.msg_iov = &data;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  check(recvmsg(socket, &message, 0) == 1 && CMSG_FIRSTHDR(&message), "recvmsg");
  int fd;
  memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof fd);
  return fd;
}

constexpr size_t kSharedBytes = 3 * 4096;

// Gets a buffer of the other process, adds to it through every way in.
void share_receiver(int socket) {
  Client client;
  const int fd = receive_descriptor(socket);
  struct stat info{};
  check(fstat(fd, &info) == 0 && info.st_size == kSharedBytes, "fstat of a shared buffer");
  check(lseek(fd, 0, SEEK_END) == kSharedBytes && lseek(fd, 0, SEEK_SET) == 0, "lseek");
  check(lseek(fd, 1, SEEK_SET) < 0 && errno == EINVAL, "no other place");
  dma_buf_sync sync{DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW};
  check(ioctl(fd, DMA_BUF_IOCTL_SYNC, &sync) == 0, "DMA_BUF_IOCTL_SYNC");
  const int access = PROT_READ | PROT_WRITE;
  auto* direct = static_cast<uint8_t*>(mmap(nullptr, kSharedBytes, access, MAP_SHARED, fd, 0));
  check(direct != MAP_FAILED && direct[0] == 11, "mmap of the descriptor");
  check(mmap(nullptr, kSharedBytes, access, MAP_SHARED, fd, 4096) == MAP_FAILED, "past the end");
  drm_prime_handle prime{};
  prime.fd = fd;
  check(ioctl(client.drm, DRM_IOCTL_PRIME_FD_TO_HANDLE, &prime) == 0, "PRIME_FD_TO_HANDLE");
  drm_amdgpu_gem_mmap where{};
  where.in.handle = prime.handle;
  check(ioctl(client.drm, DRM_IOCTL_AMDGPU_GEM_MMAP, &where) == 0, "GEM_MMAP");
  auto* node = static_cast<uint8_t*>(mmap(nullptr, kSharedBytes, access, MAP_SHARED, client.drm,
                                          static_cast<off_t>(where.out.addr_ptr)));
  check(node != MAP_FAILED && node[4096] == 22, "mmap of the render node");
  close(fd);
  direct[0] += 1;
  node[4096] += 1;
  send_descriptor(socket, 0);
}

void child_share() {
  int sockets[2];
  check(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0, "socketpair");
  const pid_t pid = fork();
  if (pid == 0) {
    close(sockets[0]);
    share_receiver(sockets[1]);
    _exit(0);
  }
  close(sockets[1]);  // a receiver that dies is noticed
  Client client;
  uint64_t handle = 0;
  uint8_t* data = client.alloc(kSharedBytes, &handle);
  data[0] = 11;
  data[4096] = 22;
  struct {
    uint64_t handle;
    uint32_t flags, fd;
  } out{handle, O_CLOEXEC, 0};
  check(ioctl(client.kfd, _IOWR('K', 0x24, out), &out) == 0, "EXPORT_DMABUF");
  send_descriptor(sockets[0], static_cast<int>(out.fd));
  close(receive_descriptor(sockets[0]));
  check(data[0] == 12 && data[4096] == 23, "what the other process wrote");
  int status = 1;
  check(waitpid(pid, &status, 0) == pid && status == 0, "the receiver");
}

void child_nothing() {}

const std::map<std::string, void (*)()> kChildren = {
    {"paths", child_paths},    {"descriptors", child_descriptors},
    {"copies", child_copies},  {"fork", child_fork},
    {"vfork", child_vfork},    {"busy", child_fork_while_busy},
    {"fault", child_fault},    {"share", child_share},
    {"nothing", child_nothing}};

// ---- The parent. ----

class Preload : public ::testing::Test {
 protected:
  void SetUp() override {
    char path[4096] = {};
    ASSERT_GT(readlink("/proc/self/exe", path, sizeof path - 1), 0);
    self = path;
    library = self.parent_path().parent_path() / "lib/liblockstep-kfd.so";
    ASSERT_TRUE(fs::exists(library)) << library;
    directory = fs::path(::testing::TempDir()) / ("lockstep-preload-" + std::to_string(getpid()));
    fs::create_directories(directory);
  }
  void TearDown() override { fs::remove_all(directory); }

  // Runs one child function; returns its exit status, or 128 + signal.
  int run(const std::string& child, std::map<std::string, std::string> variables = {}) {
    variables["LD_PRELOAD"] = library.string();
    variables["TMPDIR"] = directory.string();
    variables["LOCKSTEP_TEST_CHILD"] = child;
    variables.try_emplace("LOCKSTEP_LOG", "error");
    variables.try_emplace("LOCKSTEP_DEVICE", "gfx1100,gfx1201");
    variables["ASAN_OPTIONS"] = "verify_asan_link_order=0";
    const pid_t pid = fork();
    if (pid == 0) {
      for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
      const int log = open((directory / "stderr").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(log, STDERR_FILENO);
      execl(self.c_str(), self.c_str(), "--gtest_filter=PreloadChild.*", nullptr);
      _exit(127);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    std::ifstream in(directory / "stderr");
    errors.assign(std::istreambuf_iterator<char>(in), {});
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  // Trees that a child left behind.
  size_t leftovers() {
    size_t count = 0;
    for (const auto& entry : fs::directory_iterator(directory)) count += entry.is_directory();
    return count;
  }
  fs::path self, library, directory;
  std::string errors;
};

TEST_F(Preload, PathsOfTheEmulatedMachine) { EXPECT_EQ(run("paths"), 0) << errors; }
TEST_F(Preload, DescriptorsGoByFileNotByNumber) { EXPECT_EQ(run("descriptors"), 0) << errors; }
TEST_F(Preload, TwoUnlikeDevicesCopy) { EXPECT_EQ(run("copies"), 0) << errors; }
TEST_F(Preload, ForkThenUseInBoth) {
  EXPECT_EQ(run("fork"), 0) << errors;
  EXPECT_EQ(leftovers(), 0u);
}
TEST_F(Preload, VforkWithAFailingExec) {
  EXPECT_EQ(run("vfork"), 0) << errors;
  EXPECT_EQ(leftovers(), 0u);
}
TEST_F(Preload, ForkFromABusyProcess) {
  EXPECT_EQ(run("busy"), 0) << errors;
  EXPECT_EQ(leftovers(), 0u);
}

TEST_F(Preload, TwoProcessesShareABuffer) {
  EXPECT_EQ(run("share"), 0) << errors;
  EXPECT_EQ(leftovers(), 0u);
}

TEST_F(Preload, FaultIsReportedEverywhere) {
  const std::string status = directory / "status", report = directory / "report.json";
  EXPECT_EQ(run("fault", {{"LOCKSTEP_STATUS_FILE", status}, {"LOCKSTEP_REPORT", report}}), 0)
      << errors;
  EXPECT_NE(errors.find("SDMA FENCE: write at 0x1000"), std::string::npos) << errors;
  std::ifstream in(status);
  std::string line;
  std::getline(in, line);
  EXPECT_TRUE(line.starts_with("fault pid ")) << line;
  EXPECT_TRUE(fs::exists(report));
}

TEST_F(Preload, OnlyProcessesThatUsedADeviceReport) {
  const std::string report = directory / "report.json";
  EXPECT_EQ(run("nothing", {{"LOCKSTEP_REPORT", report}}), 0) << errors;
  EXPECT_FALSE(fs::exists(report));
  EXPECT_EQ(run("fork", {{"LOCKSTEP_REPORT", report}}), 0) << errors;
  std::ifstream in(report);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  size_t processes = 0;
  for (size_t at = 0; (at = text.find("\"pid\"", at)) != std::string::npos; ++at) ++processes;
  EXPECT_EQ(processes, 2u) << "the child of the fork reports too";
}

TEST_F(Preload, BadVariablesEndTheProgram) {
  EXPECT_EQ(run("copies", {{"LOCKSTEP_DEVICE", "gfx9999"}}), 2);
  EXPECT_NE(errors.find("gfx9999"), std::string::npos) << errors;
  EXPECT_EQ(run("nothing", {{"LOCKSTEP_DEVICE", "gfx9999"}}), 0) << "nobody touched a device";
}

// Runs inside the child, where LOCKSTEP_TEST_CHILD says what to do; elsewhere there is nothing to
// run.
TEST(PreloadChild, Run) {
  const char* name = getenv("LOCKSTEP_TEST_CHILD");
  if (!name) return;
  kChildren.at(name)();
}

}  // namespace
