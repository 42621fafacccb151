// SPDX-License-Identifier: MIT
// Device memory shared between two processes: the other one sees the values and changes them, twice over.
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

constexpr int kCount = 1 << 16, kBase = 1000;

__global__ void fill(int* data) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  data[i] = kBase + i;
}

__global__ void change(int* data, int* wrong, int base) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (data[i] != base + i) atomicAdd(wrong, 1);
  data[i] += 7;
}

// The other process is given the handle on a pipe.
int other(int from) {
  hipIpcMemHandle_t handle;
  if (read(from, &handle, sizeof handle) != sizeof handle) return 1;
  int *wrong, count = -1;
  HIP(hipMalloc(&wrong, sizeof count));
  for (int round = 0; round < 2; ++round) {
    int* data;
    HIP(hipIpcOpenMemHandle(reinterpret_cast<void**>(&data), handle, hipIpcMemLazyEnablePeerAccess));
    HIP(hipMemset(wrong, 0, sizeof count));
    change<<<kCount / 256, 256>>>(data, wrong, kBase + 7 * round);
    HIP(hipMemcpy(&count, wrong, sizeof count, hipMemcpyDeviceToHost));
    expect("wrong values in the other process", round, count, 0);
    HIP(hipIpcCloseMemHandle(data));
  }
  return g_wrong;
}

int main() {
  // Both start before either touches the device, as the ranks of a program do.
  int ends[2];
  if (pipe(ends) != 0) return 2;
  const pid_t child = fork();
  if (child == 0) {
    const int result = other(ends[0]);
    std::fflush(stdout);
    _exit(result);
  }
  static int host[kCount];
  int* data;
  HIP(hipMalloc(&data, sizeof host));
  fill<<<kCount / 256, 256>>>(data);
  HIP(hipDeviceSynchronize());
  hipIpcMemHandle_t handle;
  HIP(hipIpcGetMemHandle(&handle, data));
  if (write(ends[1], &handle, sizeof handle) != sizeof handle) return 2;
  int status = -1;
  waitpid(child, &status, 0);
  expect("status of the other process", 0, status, 0);
  HIP(hipMemcpy(host, data, sizeof host, hipMemcpyDeviceToHost));
  for (int i = 0; i < kCount; ++i) expect("value", i, host[i], kBase + i + 14);
  HIP(hipFree(data));
  return finish();
}
